import type { AgentEvent, TurnOutcome } from "@caret/protocol";
import type { DoorRequest } from "./door-request.ts";

/** Who asks: a token of ours, already checked. */
export interface Caller {
  readonly tokenName: string;
  /** The workspace this token is bound to, if it is. */
  readonly workspace: string | undefined;
  /** Where the request came from; absent when that is not known. */
  readonly connection?: CallerConnection | undefined;
}

/** The server's end of a connection. The same object for all requests of one connection. */
export interface CallerConnection {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
}

/**
 * Where the doors hand in a request. Behind it the transcript is recognised: a continuation sends only what is new to the
 * session's agent, a title or summary call stays apart, an edited history begins a new upstream session, and a request
 * that was sent before joins the turn it started then.
 */
export interface Conversations {
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
   * The answer begins with its turn. Any other begins with the results of calls, in the middle of the turn: what upstream
   * reports as the turn's usage is not this answer's.
   */
  readonly startsTurn: boolean;
  /**
   * What answers this request, in batches: from the turn's beginning, or from the results that the request brought, until
   * its `turn-end` or until it waits for the results of the client's calls, which are the last of it then. Leaving the
   * loop only stops following. If it ends without either, `outcome` says why.
   */
  follow(signal: AbortSignal): AsyncIterable<readonly AgentEvent[]>;
  readonly outcome: Promise<TurnOutcome>;
  /** The client has all it asked for, though the turn would go on: end the turn. */
  stop(reason: string): void;
  /**
   * To be called once the answer has ended, however it did. `answered`: the client was given all of it, so that a turn
   * which waits for the results of its calls goes on waiting. `gone`: it was not, and the turn is cancelled unless the
   * client comes back or another one follows it.
   */
  leave(how: "answered" | "gone"): void;
}
