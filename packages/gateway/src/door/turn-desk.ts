import type { AgentEvent, TurnOutcome } from "@caret/protocol";
import type { DoorRequest } from "./door-request.ts";

/** Who asks: a token of ours, already checked. */
export interface Caller {
  readonly tokenName: string;
  /** The workspace this token is bound to, if it is. */
  readonly workspace: string | undefined;
}

/**
 * Where the doors hand in a request. Behind it the transcript is recognised: a continuation sends only what is new to the
 * session's agent, a title or summary call stays apart, an edited history begins a new upstream session, and a request
 * that was sent before joins the turn it started then.
 */
export interface TurnDesk {
  /** Rejects with a CaretError for what the caller got wrong, or when there is no room (`overloaded`). */
  open(request: DoorRequest, caller: Caller): Promise<DoorTurn>;
}

export interface DoorTurn {
  readonly turnId: string;
  readonly sessionId: string;
  /** The model's id that runs, for the answer's `model` field. */
  readonly model: string;
  readonly relation: "new" | "continuation" | "side-call" | "divergence" | "joined";
  /**
   * The turn's events from its beginning, in batches, until its `turn-end`; already committed. Leaving the loop only stops
   * following. If it ends without a `turn-end`, `outcome` says why.
   */
  follow(signal: AbortSignal): AsyncIterable<readonly AgentEvent[]>;
  readonly outcome: Promise<TurnOutcome>;
  /** The client has all it asked for, though the turn would go on: end the turn. */
  stop(reason: string): void;
  /** The client is gone: cancel the turn unless someone else follows it or it is to go on by policy. */
  leave(): void;
}
