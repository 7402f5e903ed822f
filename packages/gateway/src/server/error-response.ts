import type { ErrorInfo } from "@caret/protocol";
import { toAnthropicReply } from "../chat/anthropic/errors.ts";
import { toOpenaiReply } from "../chat/openai/errors.ts";
import type { ErrorReply } from "../http/error-handler.ts";
import { retryHeaders } from "../http/retry-advice.ts";
import { toNativeError } from "../native/errors.ts";

/** The parts of a request that decide the shape of an error. */
export interface Destination {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly requestId: string;
}

/** An error outside any door, as the door at this path shows it: ours, Anthropic's, or else OpenAI's. */
export function toErrorReply(info: ErrorInfo, { path, headers, requestId }: Destination): ErrorReply {
  if (path.startsWith("/api/")) return { ...toNativeError(info), headers: retryHeaders(info) };
  const isAnthropic = path.includes("/messages") || headers["anthropic-version"] !== undefined;
  return isAnthropic ? toAnthropicReply(info, requestId) : toOpenaiReply(info);
}
