import { CaretError, errorCodes } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { retryAfterSeconds } from "../../http/retry-advice.ts";
import { errorMessage } from "../error-message.ts";
import { toOpenaiError, toOpenaiReply } from "./errors.ts";

const infoOf = (...given: ConstructorParameters<typeof CaretError>) => new CaretError(...given).toInfo();

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
    ["agent-crashed", 424, "turn_failed"],
    ["cli-missing", 424, "turn_failed"],
    ["stalled", 424, "turn_failed"],
    ["upstream-unreachable", 502, "server_error"],
    ["agent-unavailable", 503, "server_error"],
  ] as const)("shows %s as %i %s", (code, status, type) => {
    const reply = toOpenaiReply(infoOf(code, "It failed"));
    expect([reply.status, reply.body.error.type, reply.body.error.caret.code]).toEqual([status, type, code]);
  });

  it("has a response that clients retry for what passes, and for nothing else but our own bugs", () => {
    const retried = errorCodes.filter((code) => {
      const { status, body } = toOpenaiReply(infoOf(code, "x"));
      return status === 408 || status === 409 || status === 429 || status >= 500 || body.error.type === "server_error";
    });
    const passing = errorCodes.filter((code) => retryAfterSeconds(infoOf(code, "x")) !== undefined);
    expect(retried).toEqual(errorCodes.filter((code) => passing.includes(code) || code === "internal"));
  });

  it("looks final when a failure that usually passes will not", () => {
    const { status, headers, body } = toOpenaiReply(infoOf("upstream-unreachable", "Refused", { retryable: false }));
    expect({ status, headers, type: body.error.type, code: body.error.code }).toEqual({
      status: 424,
      headers: { "x-should-retry": "false" },
      type: "turn_failed",
      code: "upstream_unreachable",
    });
  });

  it("looks final in the middle of an answer, whatever it is", () => {
    const types = new Set(errorCodes.map((code) => toOpenaiError(infoOf(code, "x"), true).type));
    expect([...types].toSorted()).toEqual([
      "authentication_error",
      "insufficient_quota",
      "invalid_request_error",
      "permission_error",
      "turn_failed",
    ]);
  });

  it("says whether trying again helps, and when", () => {
    expect({
      overloaded: toOpenaiReply(infoOf("overloaded", "Full")).headers,
      "cli-missing": toOpenaiReply(infoOf("cli-missing", "No agent")).headers,
      "agent-crashed": toOpenaiReply(infoOf("agent-crashed", "Gone")).headers,
    }).toEqual({
      overloaded: { "x-should-retry": "true", "retry-after": "1" },
      "cli-missing": { "x-should-retry": "false" },
      "agent-crashed": { "x-should-retry": "false" },
    });
  });

  it("shows what failed, upstream's words and the fix, but never the cause", () => {
    const error = new CaretError("upstream-error", "Cursor ended the turn", {
      cause: new Error("secret stack"),
      upstream: "Model overloaded",
      fix: "Wait",
    });
    expect(JSON.parse(JSON.stringify(toOpenaiReply(error.toInfo()).body))).toEqual({
      error: {
        message: "Cursor ended the turn. Model overloaded. Wait.",
        type: "turn_failed",
        param: null,
        code: "upstream_error",
        caret: { code: "upstream-error", retryable: false, fix: "Wait", upstream: "Model overloaded" },
      },
    });
  });

  it("does not repeat itself", () => {
    const bad = new CaretError("invalid-request", "n: only one answer").toInfo();
    const known = new CaretError("killed", "Killed: out of memory", { upstream: "out of memory", fix: "Buy memory." });
    expect([errorMessage(bad), errorMessage(known.toInfo())]).toEqual([
      "n: only one answer.",
      "Killed: out of memory. Buy memory.",
    ]);
  });
});
