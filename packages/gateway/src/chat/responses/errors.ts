import type { ErrorInfo } from "@caret/protocol";
import { retryAfterSeconds } from "../../http/retry-advice.ts";
import { errorMessage } from "../error-message.ts";

export interface ResponseError {
  readonly code: "invalid_prompt" | "rate_limit_exceeded" | "server_error";
  readonly message: string;
}

/**
 * How a failure is named inside a stream; whole answers use the chat door's table of statuses.
 *
 * Codex tries again on every code but a few, and of those only `invalid_prompt` lets our message through; OpenCode takes
 * that one as final, too. So whatever is final is called that, and so is everything once the answer has begun.
 */
export function toResponseError(info: ErrorInfo, isBegun: boolean): ResponseError {
  const message = errorMessage(info);
  if (isBegun || retryAfterSeconds(info) === undefined) return { code: "invalid_prompt", message };
  const isLimit = info.code === "rate-limited" || info.code === "overloaded";
  return { code: isLimit ? "rate_limit_exceeded" : "server_error", message };
}
