import { afterActing, CaretError, errorCodes } from "@caret/protocol";
import { expect, it } from "vitest";
import { toAnthropicReply } from "../chat/anthropic/errors.ts";
import { toOpenaiReply } from "../chat/openai/errors.ts";
import { identityOf, toCodexReply } from "../chat/responses/errors.ts";
import { toNativeError } from "../native/errors.ts";
import { retryHeaders } from "./retry-advice.ts";

/** Clients retry on these unasked, most of them whatever the headers say. */
const invitesRetry = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500;

it.each(errorCodes)(
  "%s is final at every door once the turn has acted, with a status that no client sends again",
  (code) => {
    const before = new CaretError(code, "It failed.", { retryable: true, retryAfterSeconds: 1 }).toInfo();
    const info = afterActing(before);
    const replies = {
      openai: toOpenaiReply(info),
      codex: toCodexReply(info, identityOf({}, { newId: () => "r", now: () => 0 })),
      anthropic: toAnthropicReply(info, "r"),
      native: { ...toNativeError(info), headers: retryHeaders(info) },
    };
    const invited = Object.entries(replies).flatMap(([door, { status, headers }]) =>
      invitesRetry(status) || headers["x-should-retry"] !== "false" ? [{ door, status }] : [],
    );
    // Codex reads 429 with this type as a used-up plan and does not retry.
    expect(invited).toEqual(code === "usage-limit" ? [{ door: "codex", status: 429 }] : []);
  },
);
