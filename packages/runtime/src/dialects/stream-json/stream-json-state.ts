import { initialText, type TextState } from "../assistant-text.ts";
import { type Draft, initialTurn } from "../turn-draft.ts";

export interface StreamJsonState extends TextState {
  readonly sessionId: string | undefined;
  /** The clock of the open thinking block's first delta. */
  readonly thinkingSince: number | undefined;
}

export type StreamJsonDraft = Draft<StreamJsonState>;

export function initialStreamJson(partial: boolean): StreamJsonState {
  return {
    ...initialTurn,
    ...initialText,
    partial,
    sessionId: undefined,
    thinkingSince: undefined,
  };
}
