import type { LaneName, TurnOutcome } from "@caret/protocol";
import type { ClientTool } from "../tools/bridge/bridge-messages.ts";
import type { ParkedCalls } from "../tools/bridge/parked-calls.ts";
import type { EventStore, SessionRecord, StoredEvent } from "./event-store.ts";
import type { TurnMode } from "./lane.ts";

/** What someone asks for. The engine finds out the rest. */
export interface TurnRequest {
  readonly prompt: string;
  /** Absent: a new session. */
  readonly sessionId?: string;
  /** Where the turn works; required for a new session, and must be the session's own for an old one. */
  readonly workspace?: string;
  readonly model?: string;
  readonly lane?: LaneName | "auto";
  readonly mode?: TurnMode;
  readonly force?: boolean;
  /** The client runs the tools of this turn; the workspace must then be a scratch directory of ours. */
  readonly clientTools?: ClientToolsRequest;
  /** The gateway runs the tools of this turn; the workspace must then be a scratch directory of ours. */
  readonly gatewayTools?: GatewayToolsRequest;
  /** Something about how this turn came to be, to be told at its beginning. */
  readonly notice?: string;
  /** Recorded on a new session. */
  readonly title?: string;
}

export interface ClientToolsRequest {
  readonly tools: readonly ClientTool[];
  /** The client's system prompt; it reaches the agent as a rule. */
  readonly system: string;
  /** Where the client really works. */
  readonly realWorkspace?: string;
}

export interface GatewayToolsRequest {
  /** The client's system prompt; it reaches the agent as a rule. */
  readonly system: string;
  /** Where the tools work. It must be allowed, as a workspace is. */
  readonly realWorkspace: string;
}

/**
 * A turn that runs by itself, whoever looks on.
 *
 * Events are logged before they are told. A follower that is too slow is not waited for: it reads what it missed from
 * the log, so that it gets every event once and in order, at its own pace and at no cost in memory.
 */
export interface RunningTurn {
  readonly sessionId: string;
  readonly turnId: string;
  /** The sequence number of its `turn-start`. */
  readonly firstSeq: number;
  readonly lane: LaneName;
  readonly model: string;
  /**
   * Committed events of this turn from its start, or after a sequence number, until its end. May be called often. Ends
   * without a `turn-end` only when the log could not be written; `outcome` then says why.
   */
  follow(options?: {
    readonly afterSeq?: number;
    readonly signal?: AbortSignal;
  }): AsyncIterable<readonly StoredEvent[]>;
  /** The calls that wait for the client; undefined when the client runs no tools of this turn. */
  readonly parked: Pick<ParkedCalls, "answer" | "open" | "dismissAll"> | undefined;
  /** Ask the turn to stop. It ends as cancelled, unless it had ended before. */
  cancel(reason?: string): void;
  /** Resolves when the `turn-end` is in the log. Never rejects. */
  readonly outcome: Promise<TurnOutcome>;
  /** Resolves when everything of the turn is freed and the session can take the next one. Never rejects. */
  readonly settled: Promise<void>;
}

export interface SessionEngine {
  readonly store: EventStore;
  /**
   * Start a turn. Rejects only for what the caller got wrong (`invalid-request`, `session-not-found`, `session-busy`,
   * `workspace-forbidden`, `workspace-missing`) or when the log cannot be written; whatever fails later is the turn's outcome.
   */
  startTurn(request: TurnRequest): Promise<RunningTurn>;
  /** A session without a turn yet, with its upstream session where the lane can make one. */
  createSession(request: Omit<TurnRequest, "prompt" | "sessionId">): Promise<SessionRecord>;
  runningTurn(sessionId: string): RunningTurn | undefined;
  runningTurns(): readonly RunningTurn[];
  /** Cancel what runs, wait until it is settled, close lanes and log. */
  close(): Promise<void>;
}
