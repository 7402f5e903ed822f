import { expect, it } from "vitest";
import { accessOf } from "../access/gate.ts";

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
