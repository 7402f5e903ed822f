import type { CaretError } from "@caret/protocol";
import { toAnthropicError } from "../anthropic/errors.ts";
import { toNativeError } from "../native/errors.ts";

export interface ErrorFace {
  readonly status: number;
  readonly body: object;
}

/** Where a request was going, as far as the shape of an error depends on it. */
export interface Destination {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly requestId: string;
}

/** An error outside of any door, in the shape that the client at this path reads: ours, Anthropic's, or else OpenAI's. */
export function toErrorFace(error: CaretError, { path, headers, requestId }: Destination): ErrorFace {
  if (path.startsWith("/api/")) return toNativeError(error.toInfo());
  const anthropic = toAnthropicError(error.toInfo(), requestId);
  if (path.includes("/messages") || headers["anthropic-version"] !== undefined) return anthropic;
  const { type, message, code } = anthropic.body.error;
  return { status: anthropic.status, body: { error: { message, type, code, param: null } } };
}
