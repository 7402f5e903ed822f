import type { AgentEvent, ErrorInfo, TurnOutcome } from "@caret/protocol";
import type { Cut } from "./stop-matcher.ts";

/** How an answer ends. A pause for the client's tools is a good end of the answer, not of the turn; so is a cut. */
export type AnswerEnding =
  | { readonly kind: "finished"; readonly cut?: Cut | undefined }
  | { readonly kind: "failed"; readonly error: ErrorInfo };

/** A door's stream as a pure state machine: events in, text for the wire out. */
export interface AnswerStream {
  /** What to send for a batch, whole SSE events; empty while there is nothing to say. */
  write(batch: readonly AgentEvent[]): string;
  /** The proper end, whatever happened; called once, last. */
  end(ending: AnswerEnding): string;
  /** The turn's own end, once it was among the events. */
  readonly outcome: TurnOutcome | undefined;
  /** How many calls the client was given to run. */
  readonly calls: number;
}
