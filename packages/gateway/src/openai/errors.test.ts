import { CaretError, errorCodes } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { errorMessage, toErrorReply } from "./errors.ts";

describe("an error at the OpenAI door", () => {
  it.each([
    ["invalid-request", 400, "invalid_request_error"],
    ["unauthenticated", 401, "authentication_error"],
    ["usage-limit", 402, "insufficient_quota"],
    ["not-logged-in", 403, "permission_error"],
    ["workspace-forbidden", 403, "permission_error"],
    ["model-unknown", 404, "invalid_request_error"],
    ["session-busy", 409, "invalid_request_error"],
    ["too-large", 413, "invalid_request_error"],
    ["unsupported", 422, "invalid_request_error"],
    ["rate-limited", 429, "rate_limit_error"],
    ["overloaded", 429, "rate_limit_error"],
    ["internal", 500, "server_error"],
    ["agent-crashed", 502, "server_error"],
    ["cli-missing", 503, "server_error"],
    ["stalled", 504, "server_error"],
  ] as const)("shows %s as %i %s", (code, status, type) => {
    const reply = toErrorReply(new CaretError(code, "It failed"));
    expect([reply.status, reply.body.error.type, reply.body.error.caret.code]).toEqual([status, type, code]);
  });

  it("has a status for every code, and lets no client try again by itself what was stopped on purpose", () => {
    const retried = errorCodes.filter((code) => {
      const { status } = toErrorReply(new CaretError(code, "x"));
      expect(status >= 400 && status < 600).toBe(true);
      return status === 409 || status === 429;
    });
    expect(retried).toEqual(["rate-limited", "session-busy", "overloaded"]);
  });

  it("says whether trying again helps, and when", () => {
    expect([
      toErrorReply(new CaretError("overloaded", "Full")).headers,
      toErrorReply(new CaretError("cli-missing", "No agent")).headers,
    ]).toEqual([{ "x-should-retry": "true", "retry-after": "1" }, { "x-should-retry": "false" }]);
  });

  it("shows what failed, upstream's words and the fix, but never the cause", () => {
    const error = new CaretError("upstream-error", "Cursor ended the turn", {
      cause: new Error("secret stack"),
      upstream: "Model overloaded",
      fix: "Wait",
    });
    expect(JSON.parse(JSON.stringify(toErrorReply(error).body))).toEqual({
      error: {
        message: "Cursor ended the turn. Model overloaded. Wait.",
        type: "server_error",
        param: null,
        code: "upstream_error",
        caret: { code: "upstream-error", retryable: false, fix: "Wait", upstream: "Model overloaded" },
      },
    });
  });

  it("does not repeat itself", () => {
    const bad = new CaretError("invalid-request", "n: only one answer").toInfo();
    const told = new CaretError("killed", "Killed: out of memory", { upstream: "out of memory", fix: "Buy memory." });
    expect([errorMessage(bad), errorMessage(told.toInfo())]).toEqual([
      "n: only one answer.",
      "Killed: out of memory. Buy memory.",
    ]);
  });
});
