import type { TurnResult } from "./turn-output.ts";

export interface ResultContext {
  readonly sessionId: string;
  readonly elapsedMs: number;
  /** Every segment of the turn, joined with nothing. */
  readonly wholeText: string;
}

/** The one object that ends a turn, in `json` and in `stream-json` alike. */
export function toResultEvent(result: TurnResult, { sessionId, elapsedMs, wholeText }: ResultContext) {
  return {
    type: "result",
    subtype: result.subtype,
    duration_ms: elapsedMs,
    duration_api_ms: elapsedMs,
    is_error: result.isError,
    result: result.text ?? wholeText,
    session_id: sessionId,
    request_id: result.requestId,
    ...(result.usage === undefined ? {} : { usage: result.usage }),
  };
}
