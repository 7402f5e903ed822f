import { errorCatalogue, errorCodes } from "@caret/protocol";
import { expect, it } from "vitest";
import { toAnthropicError } from "./errors.ts";

const info = { message: "It failed.", retryable: false, fix: "Mend it." };

it("says what failed and what to do about it, and nothing of our insides", () => {
  const error = toAnthropicError({ ...info, code: "model-unknown", upstream: "secret words" }, "req_1");
  expect(error).toEqual({
    status: 404,
    body: {
      type: "error",
      error: { type: "not_found_error", message: "It failed. Mend it.", code: "model-unknown" },
      request_id: "req_1",
    },
  });
});

it("ends what failed with a full stop before it says what to do", () => {
  const { body } = toAnthropicError({ ...info, code: "internal", message: "It failed" });
  expect(body.error.message).toBe("It failed. Mend it.");
});

it("gives every status the type that Anthropic's clients know for it", () => {
  const types = new Map<number, Set<string>>();
  for (const code of errorCodes) {
    const { status, body } = toAnthropicError({ ...info, code });
    types.set(status, (types.get(status) ?? new Set()).add(body.error.type));
  }
  expect([...types].toSorted(([a], [b]) => a - b).map(([status, names]) => [status, ...names])).toEqual([
    [400, "invalid_request_error"],
    [401, "authentication_error"],
    [402, "billing_error"],
    [403, "permission_error"],
    [404, "not_found_error"],
    [409, "invalid_request_error"],
    [413, "request_too_large"],
    [422, "invalid_request_error"],
    [429, "rate_limit_error"],
    [500, "api_error"],
    [502, "api_error"],
    [503, "api_error"],
    [504, "timeout_error"],
    [507, "api_error"],
    [529, "overloaded_error"],
  ]);
});

it("lets every error that may pass be tried again by a client that goes by the status", () => {
  const retried = (status: number) => status === 409 || status === 429 || status >= 500;
  const given = errorCodes.filter((code) => errorCatalogue[code].retryable);
  expect(given.filter((code) => !retried(toAnthropicError({ ...info, code }).status))).toEqual([]);
});

it("keeps 401 for the client's own token", () => {
  expect(errorCodes.filter((code) => toAnthropicError({ ...info, code }).status === 401)).toEqual(["unauthenticated"]);
});
