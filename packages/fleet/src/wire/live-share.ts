import type { AgentEvent, TurnOutcome, TurnShare } from "@caret/protocol";

/** What is sent to a gateway of its share in a turn. */
export type ShareView = Pick<TurnShare, "turnId" | "sessionId" | "model" | "relation" | "startsTurn" | "conversation">;

/** One row of an answer on its way: events, or its end. */
export type LiveBatch =
  | { readonly events: readonly AgentEvent[] }
  /** Without an outcome the turn waits for its client. */
  | { readonly end: TurnOutcome | "parked" };
