import { CaretError } from "@caret/protocol";
import { expect, it } from "vitest";
import { toErrorReply } from "./error-response.ts";

const error = new CaretError("unauthenticated", "No token.", { fix: "Send one." }).toInfo();

it.each([
  ["/v1/messages", {}],
  ["/v1/messages/count_tokens", {}],
  ["/v1/models", { "anthropic-version": "2023-06-01" }],
])("speaks to Anthropic's clients at %s", (path, headers) => {
  expect(toErrorReply(error, { path, headers, requestId: "r1" })).toEqual({
    status: 401,
    headers: { "request-id": "r1", "x-should-retry": "false" },
    body: {
      type: "error",
      error: { type: "authentication_error", message: "No token. Send one.", code: "unauthenticated" },
      request_id: "r1",
    },
  });
});

it.each(["/v1/chat/completions", "/v1/models", "/metrics", "/"])("speaks to OpenAI's clients at %s", (path) => {
  expect(toErrorReply(error, { path, headers: {}, requestId: "r1" })).toEqual({
    status: 401,
    headers: { "x-should-retry": "false" },
    body: {
      error: {
        message: "No token. Send one.",
        type: "authentication_error",
        code: "invalid_api_key",
        param: null,
        caret: { code: "unauthenticated", retryable: false, fix: "Send one." },
      },
    },
  });
});

it("says at every door when a day's quota is new, in a header and in the body, without inviting a retry", () => {
  const spent = new CaretError("budget-exceeded", "Used up", { retryAfterSeconds: 43_200 }).toInfo();
  const paths = ["/v1/chat/completions", "/v1/messages", "/api/sessions"];
  const shown = paths.map((path) => {
    const { status, headers, body } = toErrorReply(spent, { path, headers: {}, requestId: "r1" });
    return [
      status,
      headers["x-should-retry"],
      headers["retry-after"],
      JSON.stringify(body).includes('"retryAfterSeconds":43200'),
    ];
  });
  expect(shown).toEqual(paths.map(() => [402, "false", "43200", true]));
});

it("names the same time to wait at every door", () => {
  const full = new CaretError("overloaded", "Full").toInfo();
  const paths = ["/v1/chat/completions", "/v1/responses", "/v1/messages", "/api/v1/sessions"];
  const seconds = paths.map(
    (path) => toErrorReply(full, { path, headers: {}, requestId: "r1" }).headers["retry-after"],
  );
  expect(Object.fromEntries(paths.map((path, index) => [path, seconds[index]]))).toEqual(
    Object.fromEntries(paths.map((path) => [path, "1"])),
  );
});
