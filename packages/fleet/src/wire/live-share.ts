import type { AgentEvent, TurnOutcome, TurnShare } from "@caret/protocol";

/** What a gateway is sent of its turn share. */
export type ShareView = Pick<TurnShare, "turnId" | "sessionId" | "model" | "relation" | "startsTurn" | "conversation">;

/** One row of a streamed answer: events, or its end. */
export type LiveBatch =
  | { readonly events: readonly AgentEvent[] }
  /** `parked`: the turn waits for its client's results. */
  | { readonly end: TurnOutcome | "parked" };
