import type { TurnResult } from "./turn-output.ts";

export const noUsage: TurnUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

const charactersPerToken = 4;

interface ResultContext {
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

/** The tokens of a whole turn, as the CLI counts them: cache apart from input. */
export interface TurnUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export function addUsage(before: TurnUsage, added: TurnUsage): TurnUsage {
  return {
    inputTokens: before.inputTokens + added.inputTokens,
    outputTokens: before.outputTokens + added.outputTokens,
    cacheReadTokens: before.cacheReadTokens + added.cacheReadTokens,
    cacheWriteTokens: before.cacheWriteTokens + added.cacheWriteTokens,
  };
}

/** For turns whose mind did not count: about what their texts would cost. */
export function estimateUsage(inputCharacters: number, outputCharacters: number): TurnUsage {
  const toTokens = (characters: number) => Math.ceil(characters / charactersPerToken);
  return { ...noUsage, inputTokens: toTokens(inputCharacters), outputTokens: toTokens(outputCharacters) };
}
