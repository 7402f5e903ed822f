import type { AgentEvent, LaneName, Usage } from "@caret/protocol";

/** One event as it was committed. */
export interface StoredEvent {
  readonly sessionId: string;
  /** 1, 2, 3, … within the session: no gaps, never reused. It is the cursor a reader resumes from. */
  readonly seq: number;
  readonly turnId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly event: AgentEvent;
  /** The upstream line this event came from. A line that gave several events stands beside the first of them. */
  readonly raw?: string;
  /** Set when `raw` is only the beginning of the line, because the line was longer than the store keeps. */
  readonly rawCut?: true;
}

/** One event to append. It must be redacted already: a store writes what it is given. */
export interface EventEntry {
  readonly turnId: string;
  readonly event: AgentEvent;
  readonly raw?: string;
  readonly rawCut?: true;
  /** When it happened; the store's clock when absent. */
  readonly at?: number;
}

/** Where an upstream keeps its half of the session. Each lane has a store of its own, so there is one per lane. */
export interface UpstreamAttachment {
  readonly lane: LaneName;
  readonly sessionId: string;
  /** The version of the CLI that wrote it. */
  readonly version?: string;
  readonly configDir?: string;
}

export interface NewSession {
  readonly id: string;
  readonly workspace: string;
  readonly title?: string;
  readonly lane?: LaneName;
  readonly model?: string;
  readonly createdAt: number;
  /** Brought in from an export: what it consumed was paid elsewhere and counts towards no day's total. */
  readonly imported?: true;
}

export interface SessionRecord extends NewSession {
  /** The last append or change. */
  readonly updatedAt: number;
  readonly archived: boolean;
  /** The `seq` of the newest event, 0 when there is none: what the next `append` expects. */
  readonly lastSeq: number;
  readonly upstream: readonly UpstreamAttachment[];
}

/** What is absent stays as it is. */
export interface SessionChanges {
  readonly title?: string;
  readonly lane?: LaneName;
  readonly model?: string;
  readonly archived?: boolean;
  /** Replaces the attachment of the same lane. */
  readonly upstream?: UpstreamAttachment;
}

export interface SessionQuery {
  /** A part of the title, workspace or id, in any letter case. */
  readonly search?: string;
  /** Only archived sessions, or only the others; both when absent. */
  readonly archived?: boolean;
  readonly limit?: number;
  /** The `next` of the page before. */
  readonly after?: string;
}

export interface SessionPage {
  /** Most recently updated first. */
  readonly sessions: readonly SessionRecord[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** A turn whose `turn-start` is in the log and whose `turn-end` is not. */
export interface RunningTurn {
  readonly sessionId: string;
  readonly turnId: string;
  readonly firstSeq: number;
  readonly startedAt: number;
  /** The process that wrote its start. A turn whose owner is dead will never end by itself. */
  readonly owner: string;
}

export interface RunningTurnQuery {
  readonly sessionId?: string;
}

export interface UsageQuery {
  readonly sessionId?: string;
  /** A day in UTC, `2026-11-15`. */
  readonly day?: string;
}

/** What the turns of one model consumed together. A count no turn reported is absent, as in `Usage`. */
export interface UsageTotal {
  readonly model?: string;
  /** How many turns reported any usage. */
  readonly turns: number;
  readonly usage: Usage;
}

export interface ReadOptions {
  readonly afterSeq?: number;
  readonly limit?: number;
}

export interface PruneOptions {
  /** Sessions that were last updated longer ago than this go … */
  readonly olderThanMs: number;
  /** … unless they are among this many most recently updated ones. */
  readonly keep: number;
}

/** Hears of each commit in `seq` order, after it is durable. It must not throw. */
export type CommitListener = (committed: readonly StoredEvent[]) => void;

/**
 * The log of every session, and the only history there is. All implementations run `describeEventStore`.
 *
 * - A promise that resolved means durable: nothing acknowledged is lost, whatever kills the process.
 * - What rejected with `storage-failed` may still turn up after a restart; read before writing again.
 * - Several processes may share one log, so a session can move on between two calls. Whoever decides by what it has read
 *   takes `lastSeq` first, reads, and appends at that `lastSeq`: what came in between then shows as `session-busy`.
 * - `overloaded` means that another process kept the log for too long: nothing was written, and trying again may help.
 * - A reader that wants every event once subscribes first, then reads, then drops each `seq` it has seen.
 */
export interface EventStore {
  /** Rejects with `invalid-request` when the id is taken. */
  createSession(session: NewSession): Promise<SessionRecord>;
  getSession(sessionId: string): Promise<SessionRecord | undefined>;
  listSessions(query?: SessionQuery): Promise<SessionPage>;
  /** Rejects with `session-not-found`. */
  updateSession(sessionId: string, changes: SessionChanges): Promise<SessionRecord>;
  /** Says whether there was one. Its events go; what it consumed stays in the totals of the days. */
  deleteSession(sessionId: string): Promise<boolean>;

  /**
   * Append all entries or none. Rejects with `session-busy` when the session is not at `expectedSeq` (another writer
   * got there first) and with `session-not-found`. Appends may be issued without waiting for the one before.
   */
  append(sessionId: string, expectedSeq: number, entries: readonly EventEntry[]): Promise<readonly StoredEvent[]>;
  /** Events after `afterSeq`, oldest first; none for an unknown session. */
  read(sessionId: string, options?: ReadOptions): Promise<readonly StoredEvent[]>;
  /**
   * Hears what this process appends; what another process appends is found by reading. Returns the function that ends
   * the subscription.
   */
  subscribe(sessionId: string, listener: CommitListener): () => void;

  /** Also those of other processes, alive or dead. `interruptRunningTurns` ends the ones that never will. */
  runningTurns(query?: RunningTurnQuery): Promise<readonly RunningTurn[]>;
  /** One total per model, by name. The last report of a turn counts, as in `foldTurn`. */
  usageTotals(query: UsageQuery): Promise<readonly UsageTotal[]>;
  /** The ids of the sessions it deleted. A session with a running turn stays. */
  prune(options: PruneOptions): Promise<readonly string[]>;
  /** Commits what is under way, then frees everything. Later calls reject with `storage-failed`. */
  close(): Promise<void>;
}
