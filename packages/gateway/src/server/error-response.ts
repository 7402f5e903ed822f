import type { CaretError } from "@caret/protocol";
import { toAnthropicReply } from "../chat/anthropic/errors.ts";
import { toErrorReply } from "../chat/openai/errors.ts";
import { retryHeaders } from "../chat/retry-advice.ts";
import { toNativeError } from "../native/answer-with-error.ts";

export interface ErrorFace {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Where a request was going, as far as the shape of an error depends on it. */
export interface Destination {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly requestId: string;
}

/** An error outside of any door, as the door at this path would have shown it: ours, Anthropic's, or else OpenAI's. */
export function toErrorFace(error: CaretError, { path, headers, requestId }: Destination): ErrorFace {
  const info = error.toInfo();
  if (path.startsWith("/api/")) return { ...toNativeError(info), headers: retryHeaders(info) };
  const isAnthropic = path.includes("/messages") || headers["anthropic-version"] !== undefined;
  return isAnthropic ? toAnthropicReply(info, requestId) : toErrorReply(info);
}
