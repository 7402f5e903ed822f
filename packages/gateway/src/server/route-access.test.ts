import { expect, it } from "vitest";
import { accessOf, startsTurn } from "./gate.ts";

it.each([
  ["/v1/chat/completions", "turns"],
  ["/v1/responses", "turns"],
  ["/v1/responses/:id", "turns"],
  ["/v1/messages", "turns"],
  ["/v1/messages/count_tokens", "turns"],
  ["/v1/models", "models"],
  ["/v1/models/:id", "models"],
  ["/v1/messages-of-mine", "admin"],
  ["/anything/new", "admin"],
  [undefined, "any-token"],
])("asks at %s for %s", (url, access) => {
  expect(accessOf(url, undefined)).toBe(access);
});

it("goes by what a route declares itself", () => {
  expect(accessOf("/healthz", "public")).toBe("public");
});

it("gives places to what starts an agent only", () => {
  const asked = [
    ["POST", "/v1/messages"],
    ["GET", "/v1/responses/:id"],
    ["POST", "/v1/messages/count_tokens"],
    ["POST", "/admin/tokens"],
    ["POST", undefined],
  ] as const;
  expect(asked.map(([method, url]) => startsTurn(method, url))).toEqual([true, false, false, false, false]);
});
