import { CaretError, type ErrorCode, errorCodes } from "@caret/protocol";
import { expect, it } from "vitest";
import { retryAfterSeconds } from "../../http/retry-advice.ts";
import { toAnthropicError, toAnthropicReply } from "./errors.ts";

const infoOf = (code: ErrorCode, options: ConstructorParameters<typeof CaretError>[2] = {}) =>
  new CaretError(code, "It failed", { fix: "Mend it.", ...options }).toInfo();
const replyTo = (code: ErrorCode) => toAnthropicReply(infoOf(code), "req_1");

it("says what failed, upstream's words and what to do about it", () => {
  const info = infoOf("upstream-error", { upstream: "The model is busy", cause: new Error("secret stack") });
  expect(toAnthropicReply(info, "req_1")).toEqual({
    status: 424,
    headers: { "request-id": "req_1", "x-should-retry": "false" },
    body: {
      type: "error",
      error: {
        type: "turn_failed",
        message: "It failed. The model is busy. Mend it.",
        code: "upstream-error",
      },
      request_id: "req_1",
    },
  });
});

it("gives every status the type that Anthropic's clients know for it", () => {
  const types = new Map<number, Set<string>>();
  for (const code of errorCodes) {
    const { status, body } = replyTo(code);
    types.set(status, (types.get(status) ?? new Set()).add(body.error.type));
  }
  expect(Object.fromEntries([...types].map(([status, names]) => [status, [...names].toSorted()]))).toEqual({
    400: ["invalid_request_error"],
    401: ["authentication_error"],
    402: ["billing_error"],
    403: ["permission_error"],
    404: ["not_found_error"],
    409: ["invalid_request_error"],
    413: ["request_too_large"],
    424: ["invalid_request_error", "turn_failed"],
    429: ["rate_limit_error"],
    500: ["api_error"],
    502: ["api_error"],
    503: ["api_error"],
    529: ["overloaded_error"],
  });
});

it("has a status that clients try again for what passes, and for nothing else but our own bugs", () => {
  const retried = errorCodes.filter((code) => {
    const { status } = replyTo(code);
    return status === 408 || status === 409 || status === 429 || status >= 500;
  });
  const passing = errorCodes.filter((code) => retryAfterSeconds(infoOf(code)) !== undefined);
  expect(retried).toEqual(errorCodes.filter((code) => passing.includes(code) || code === "internal"));
});

it("has a type in the middle of an answer that no client tries again, whatever failed", () => {
  const retried = ["api_error", "overloaded_error", "rate_limit_error", "timeout_error"];
  const types = errorCodes.map((code) => toAnthropicError(infoOf(code), true).error.type);
  expect(types.filter((type) => retried.includes(type))).toEqual([]);
});

it("uses 400, which Claude Code sends again with fewer betas, for bodies that cannot be read or answered only", () => {
  const codes = errorCodes.filter((code) => [400, 422].includes(replyTo(code).status));
  expect(codes).toEqual(["invalid-request", "unsupported"]);
});

it("keeps 401 for the client's own token", () => {
  expect(errorCodes.filter((code) => replyTo(code).status === 401)).toEqual(["unauthenticated"]);
});
