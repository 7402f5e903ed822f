import { CaretError, type ErrorCode, errorCodes } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { retryAfterSeconds } from "../../http/retry-advice.ts";
import { toResponseObject } from "./answer.ts";
import { isCodex, toCodexReply } from "./errors.ts";

const infoOf = (code: ErrorCode) => new CaretError(code, "It failed", { fix: "Mend it." }).toInfo();

const identity = { id: "resp_1", createdAt: 5, model: "auto", body: {} };

describe("an error that Codex is shown", () => {
  it.each([
    [{ originator: "codex_exec" }, true],
    [{ "user-agent": "codex_cli_rs/0.166.0 (Debian 12.0.0; x86_64)" }, true],
    [{ originator: "Codex Desktop" }, true],
    [{ "user-agent": "OpenAI/JS 7.53.0" }, false],
    [{ "user-agent": "my-codex-like-tool" }, false],
    [{}, false],
  ])("is recognised by the headers %j: %s", (headers, expected) => {
    expect(isCodex(headers)).toBe(expected);
  });

  it("is its own usage limit when the plan is used up", () => {
    expect(toCodexReply(infoOf("usage-limit"), identity)).toMatchObject({
      status: 429,
      headers: { "x-should-retry": "false" },
      body: { error: { type: "usage_limit_reached", message: "It failed. Mend it." } },
    });
  });

  it("is a stream that fails at once, with a code that Codex takes as final, for whatever else is final", () => {
    const { status, headers, body } = toCodexReply(infoOf("model-unknown"), identity);
    const [, data = ""] = /^event: response\.failed\ndata: (.+)\n\ndata: \[DONE\]\n\n$/m.exec(String(body)) ?? [];
    expect({ status, type: headers["content-type"], failed: JSON.parse(data) }).toEqual({
      status: 200,
      type: "text/event-stream; charset=utf-8",
      failed: {
        type: "response.failed",
        sequence_number: 1,
        response: toResponseObject(identity, {
          status: "failed",
          error: { code: "invalid_prompt", message: "It failed. Mend it." },
          output: [],
          usage: null,
          completedAt: null,
        }),
      },
    });
  });

  it("has a status that Codex tries again only when the failure passes", () => {
    const retried = errorCodes.filter((code) => ![200, 400, 429].includes(toCodexReply(infoOf(code), identity).status));
    expect(retried).toEqual(errorCodes.filter((code) => retryAfterSeconds(infoOf(code)) !== undefined));
  });

  it("never looks like an answer when the request is not let in", () => {
    const codes = ["unauthenticated", "forbidden"] as const;
    expect(codes.map((code) => toCodexReply(infoOf(code), identity).status)).toEqual([400, 400]);
  });
});
