import type { AgentEvent, AgentEventOf, ErrorInfo } from "@caret/protocol";
import type { Frame } from "./framing/frame.ts";
import type { LongLine } from "./framing/open-line.ts";
import { closeDraft, type Draft, openDraft, type TurnState } from "./turn-draft.ts";

export const dialectNames = ["stream-json", "contract", "payload"] as const;
export type DialectName = (typeof dialectNames)[number];

/** Why no more frames come. At `end-of-stream` the dialect decides what that means for the turn. */
export type Ending =
  | { readonly kind: "end-of-stream" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly error: ErrorInfo };

type Step<State> = readonly [State, readonly AgentEvent[]];

/** Step over lines that only continue the open text. */
type MoreText<State> = readonly [State, AgentEventOf<"text-delta">];

/**
 * Meaning of the lines of one protocol.
 *
 * - `step` is pure: one frame in, the next state and its events out; no clock, no I/O, and no throw for any input;
 * - `finish` closes what is open and emits `turn-end`; after a turn has ended both emit nothing more;
 * - the events of a turn, after a `turn-start`, are well formed for any input.
 */
export interface Dialect<State> {
  readonly name: DialectName;
  readonly initial: State;
  /** Reads the commonest line without parsing; undefined if it cannot. */
  readonly quickFrame?: (line: string) => Frame | undefined;
  /** How to keep an open line that has grown long, given its start. Undefined: whole. */
  openLongLine?(state: State, head: string): LongLine | undefined;
  step(state: State, frame: Frame): Step<State>;
  /** The same for several frames, joining adjacent deltas of one block into one event. */
  stepOver?(state: State, frames: readonly Frame[]): Step<State>;
  /** The same for whole lines that only continue the open text and need not be split; undefined otherwise. */
  more?(state: State, run: string): MoreText<State> | undefined;
  finish(state: State, ending: Ending): Step<State>;
  hasEnded(state: State): boolean;
}

interface DraftDialectOptions<State extends TurnState> {
  readonly name: DialectName;
  readonly initial: State;
  readonly quickFrame?: (line: string) => Frame | undefined;
  openLongLine?(state: State, head: string): LongLine | undefined;
  readonly onFrame: (draft: Draft<State>, frame: Frame) => void;
  /** Default: one frame after the other. */
  readonly onFrames?: (draft: Draft<State>, frames: readonly Frame[]) => void;
  more?(state: State, run: string): MoreText<State> | undefined;
  /** Must end the turn. */
  readonly onEnding: (draft: Draft<State>, ending: Ending) => void;
}

/** Builds a dialect from its handlers: each step works on a copy of the state, and an ended turn accepts nothing more. */
export function draftDialect<State extends TurnState>(options: DraftDialectOptions<State>): Dialect<State> {
  const { name, initial, quickFrame, openLongLine, more, onFrame, onEnding } = options;
  const oneByOne = (draft: Draft<State>, frames: readonly Frame[]): void => {
    for (const frame of frames) if (!draft.ended) onFrame(draft, frame);
  };
  const { onFrames = oneByOne } = options;
  return {
    name,
    initial,
    ...(quickFrame === undefined ? {} : { quickFrame }),
    ...(openLongLine === undefined ? {} : { openLongLine }),
    ...(more === undefined ? {} : { more }),
    step(state, frame) {
      if (state.ended) return [state, []];
      const draft = openDraft(state);
      onFrame(draft, frame);
      return closeDraft(draft);
    },
    stepOver(state, frames) {
      if (state.ended) return [state, []];
      const draft = openDraft(state);
      draft.joinsDeltas = true;
      onFrames(draft, frames);
      draft.joinsDeltas = false;
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
