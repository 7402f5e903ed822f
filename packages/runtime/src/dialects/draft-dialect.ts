import type { Frame } from "../framing/frame.ts";
import type { Dialect, DialectName, Ending } from "./dialect.ts";
import { closeDraft, type Draft, openDraft, type TurnState } from "./turn-draft.ts";

export interface DraftDialectOptions<State extends TurnState> {
  readonly name: DialectName;
  readonly initial: State;
  readonly quickFrame?: (line: string) => Frame | undefined;
  readonly onFrame: (draft: Draft<State>, frame: Frame) => void;
  /** Must end the turn. */
  readonly onEnding: (draft: Draft<State>, ending: Ending) => void;
}

/** A dialect from what it writes: each step works on a copy of the state, and an ended turn takes nothing more. */
export function draftDialect<State extends TurnState>(options: DraftDialectOptions<State>): Dialect<State> {
  const { name, initial, quickFrame, onFrame, onEnding } = options;
  return {
    name,
    initial,
    ...(quickFrame === undefined ? {} : { quickFrame }),
    step(state, frame) {
      if (state.ended) return [state, []];
      const draft = openDraft(state);
      onFrame(draft, frame);
      return closeDraft(draft);
    },
    finish(state, ending) {
      if (state.ended) return [state, []];
      const draft = openDraft(state);
      onEnding(draft, ending);
      return closeDraft(draft);
    },
    hasEnded: (state) => state.ended,
  };
}
