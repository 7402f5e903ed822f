import type { Usage } from "@caret/protocol";
import { initialText, type TextState } from "../assistant-text.ts";
import { type Draft, initialTurn } from "../turn-draft.ts";

export interface StreamJsonState extends TextState {
  readonly sessionId: string | undefined;
  /** The clock of the open thinking block's first delta. */
  readonly thinkingSince: number | undefined;
  /** Reported step by step by some versions; the result's own count wins over the sum. */
  readonly stepUsage: Usage | undefined;
  /** The last error event: what the turn failed of, should no result follow. */
  readonly lastError: string | undefined;
  readonly unnamedCalls: number;
  /** The calls that queries were about, by the query's id. */
  readonly queriedCalls: ReadonlyMap<string, string>;
  /** Queries whose answer did not say what was decided, by the call that will show it. */
  readonly unclearQueries: ReadonlyMap<string, string>;
}

export type StreamJsonDraft = Draft<StreamJsonState>;

export function initialStreamJson(partial: boolean): StreamJsonState {
  return {
    ...initialTurn,
    ...initialText,
    partial,
    sessionId: undefined,
    thinkingSince: undefined,
    stepUsage: undefined,
    lastError: undefined,
    unnamedCalls: 0,
    queriedCalls: new Map(),
    unclearQueries: new Map(),
  };
}
