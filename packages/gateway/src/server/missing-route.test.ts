import { expect, it } from "vitest";
import { missingRoute } from "./missing-route.ts";

const routes = [
  { method: "POST", url: "/v1/messages" },
  { method: "GET", url: "/v1/models/:id" },
  { method: "HEAD", url: "/v1/models/:id" },
];

it.each([
  ["the base URL already has /v1", "/v1/v1/messages", "Leave /v1 out of the client's base URL: it adds it itself."],
  ["the base URL lacks /v1", "/chat/completions", "Add /v1 to the client's base URL."],
  ["the path is anything else", "/nope", "Check the address; GET /openapi.json lists all there are."],
])("says what to do when %s", (_name, path, fix) => {
  const { error, allow } = missingRoute(routes, "POST", path);
  expect([error.code, error.message, error.fix, allow]).toEqual(["not-found", `There is nothing at ${path}.`, fix, []]);
});

it("says which methods there are", () => {
  const { error, allow } = missingRoute(routes, "DELETE", "/v1/models/gpt-5");
  expect([error.code, error.message, error.fix, allow]).toEqual([
    "invalid-request",
    "/v1/models/gpt-5 does not answer DELETE.",
    "Use GET or HEAD.",
    ["GET", "HEAD"],
  ]);
});

it("does not take an empty parameter for one", () => {
  expect(missingRoute(routes, "GET", "/v1/models/").allow).toEqual([]);
});

it("does not repeat a path of a kilobyte", () => {
  expect(missingRoute(routes, "GET", `/${"x".repeat(1024)}`).error.message.length).toBeLessThan(130);
});
