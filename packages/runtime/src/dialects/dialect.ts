import type { AgentEvent, ErrorInfo } from "@caret/protocol";
import type { Frame } from "../framing/frame.ts";

export const dialectNames = ["stream-json", "contract", "payload"] as const;
export type DialectName = (typeof dialectNames)[number];

/** Why no more frames will come. At `end-of-stream` the dialect itself says what that means for the turn. */
export type Ending =
  | { readonly kind: "end-of-stream" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly error: ErrorInfo };

export type Step<State> = readonly [State, readonly AgentEvent[]];

/**
 * What the lines of one protocol mean.
 *
 * - `step` is pure: one frame in, the next state and its events out; no clock, no I/O, and no throw for any input;
 * - `finish` closes what is open and gives the `turn-end`; after a turn has ended both give nothing more;
 * - the events of a turn, after a `turn-start`, are well formed whatever was fed.
 */
export interface Dialect<State> {
  readonly name: DialectName;
  readonly initial: State;
  /** Reads the commonest line without parsing it, or says that it cannot. */
  readonly quickFrame?: (line: string) => Frame | undefined;
  step(state: State, frame: Frame): Step<State>;
  finish(state: State, ending: Ending): Step<State>;
  hasEnded(state: State): boolean;
}
