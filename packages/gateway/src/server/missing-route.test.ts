import { expect, it } from "vitest";
import { missingRoute } from "./missing-route.ts";

const routes = [
  { method: "POST", url: "/v1/messages" },
  { method: "GET", url: "/v1/models/*" },
  { method: "PUT", url: "/v1/things/:id" },
  { method: "GET", url: "/v1/things/:id" },
  { method: "GET", url: "/v1/things/stream" },
];

it.each([
  ["the base URL already has /v1", "/v1/v1/messages", "Leave /v1 out of the client's base URL: it adds it itself."],
  ["the base URL lacks /v1", "/chat/completions", "Add /v1 to the client's base URL."],
  ["the path is anything else", "/nope", "Check the address; GET /openapi.json lists all there are."],
])("says what to do when %s", (_name, path, fix) => {
  const { error, allow } = missingRoute(routes, "POST", path);
  expect([error.code, error.message, error.fix, allow]).toEqual(["not-found", `There is nothing at ${path}.`, fix, []]);
});

it.each([
  ["/v1/things/one", ["PUT", "GET"], "Use PUT or GET."],
  ["/v1/things/stream", ["PUT", "GET"], "Use PUT or GET."],
  ["/v1/models/openai/gpt-5", ["GET"], "Use GET."],
])("says which methods there are at %s", (path, methods, fix) => {
  const { error, allow } = missingRoute(routes, "DELETE", path);
  expect([error.code, error.message, error.fix, allow]).toEqual([
    "invalid-request",
    `${path} does not answer DELETE.`,
    fix,
    methods,
  ]);
});

it.each(["/v1/models/", "/v1/things/", "/v1/things/one/two"])("finds nothing at %s", (path) => {
  expect(missingRoute(routes, "GET", path).allow).toEqual([]);
});

it("does not repeat a path of a kilobyte", () => {
  expect(missingRoute(routes, "GET", `/${"x".repeat(1024)}`).error.message.length).toBeLessThan(130);
});
