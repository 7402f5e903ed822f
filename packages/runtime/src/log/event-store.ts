import {
  type AgentBudget,
  type AgentEvent,
  CaretError,
  type CommandKey,
  type CommandRecord,
  type EventEnvelope,
  type ForkOrigin,
  type LaneName,
  type PermissionWord,
  type SandboxWord,
  type TurnOutcome,
  type Usage,
} from "@caret/protocol";
import type { NewAgent } from "./agent-store.ts";
import type { CatchUpOptions, SaidPage, SaidQuery } from "./search/said-query.ts";
import type { SessionWaits } from "./session-waits.ts";

/** One committed event. A raw line that produced several events is stored with the first; `rawCut` if the store truncated it. */
export type StoredEvent = EventEnvelope;

/** One event to append, already redacted: a store writes what it gets. */
export interface EventEntry {
  readonly turnId: string;
  readonly event: AgentEvent;
  readonly raw?: string;
  readonly rawCut?: true;
  /** When it happened. Default: the store's clock. */
  readonly at?: number;
}

/** Where an upstream keeps its half of the session; at most one per lane, since each lane has a store of its own. */
export interface UpstreamAttachment {
  readonly lane: LaneName;
  readonly sessionId: string;
  /** The version of the CLI that wrote it. */
  readonly version?: string;
  readonly configDir?: string;
  /** The id was reserved: the first turn creates the session under it. */
  readonly isReserved?: boolean;
}

/** Which sessions a reader may see. */
export interface SessionScope {
  /** Only sessions that work in this directory or below it (a physical path). */
  readonly workspace?: string;
  /** Only this user's sessions; null: only those of the gateway's own user. */
  readonly user?: string | null;
}

export interface NewSession {
  readonly id: string;
  /** Owner of the session. Default: the gateway's own user. */
  readonly user?: string | undefined;
  /** The user's team. */
  readonly team?: string | undefined;
  readonly workspace: string;
  readonly title?: string;
  readonly lane?: LaneName;
  readonly model?: string;
  /** How much its turns do without asking, if a person chose that. */
  readonly permission?: PermissionWord;
  /** Minimum sandbox for its turns, if a person chose one. */
  readonly sandbox?: SandboxWord;
  /** Budget in addition to that of the settings. */
  readonly budget?: AgentBudget;
  readonly createdAt: number;
  /** Imported from an export. */
  readonly imported?: true;
  /** The session it was copied from. */
  readonly forkedFrom?: ForkOrigin;
}

/** The most recently started turn. */
export interface LastTurn {
  readonly turnId: string;
  /** When it ended or, while it runs, when it began. */
  readonly at: number;
  /** Omitted while it runs. */
  readonly outcome?: TurnOutcome["kind"];
}

export interface SessionRecord extends NewSession, SessionWaits {
  /** Time of the last append or change. */
  readonly updatedAt: number;
  readonly archived: boolean;
  /** A person pinned it to the top of the list. */
  readonly pinned?: true;
  /** The `seq` of the newest event, 0 if none: what the next `append` expects. */
  readonly lastSeq: number;
  /** The first line (possibly cut) of the latest words of either side. */
  readonly lastLine?: string;
  readonly lastTurn?: LastTurn;
  /** Name of the session's agent. */
  readonly agent?: string;
  /** Total usage of its turns. The cost is omitted unless every turn's cost is known. */
  readonly usage?: Usage;
  readonly upstream: readonly UpstreamAttachment[];
}

/** Omitted fields stay unchanged. */
export interface SessionChanges {
  readonly title?: string;
  readonly lane?: LaneName;
  readonly model?: string;
  readonly permission?: PermissionWord;
  readonly sandbox?: SandboxWord;
  readonly archived?: boolean;
  readonly pinned?: boolean;
  readonly budget?: AgentBudget;
  /** Replaces the attachment of the same lane. */
  readonly upstream?: UpstreamAttachment;
}

export interface SessionQuery extends SessionScope {
  /** Part of the title, workspace or id; case-insensitive. */
  readonly search?: string;
  /** Only archived sessions, or only the others. Default: both. */
  readonly archived?: boolean;
  /** Only pinned sessions. */
  readonly pinned?: true;
  /** Only sessions with an unfinished turn, or whose agent waits for a person's answer to a message. */
  readonly active?: true;
  /** Only forks of this session. */
  readonly forkedFrom?: string;
  readonly limit?: number;
  /** The previous page's `next`. */
  readonly after?: string;
}

export interface SessionPage {
  /** Most recently updated first. */
  readonly sessions: readonly SessionRecord[];
  /** Omitted on the last page. */
  readonly next?: string;
}

/** A turn with a `turn-start` but no `turn-end` in the log. */
export interface RunningTurn {
  readonly sessionId: string;
  readonly turnId: string;
  readonly firstSeq: number;
  readonly startedAt: number;
  /** Who wrote its start. If the owner is dead, the turn never ends by itself. */
  readonly owner: string;
}

export interface RunningTurnQuery {
  readonly sessionId?: string;
}

/** A user's or a team's turns. */
export interface TurnCountQuery {
  /** In UTC. */
  readonly day: string;
  readonly user?: string;
  readonly team?: string;
}

/** Turns begun that day, including those of deleted sessions that reported usage; and turns running now. */
export interface TurnCount {
  readonly begun: number;
  readonly running: number;
}

export interface UsageQuery {
  readonly sessionId?: string;
  readonly user?: string;
  readonly team?: string;
  /** A day in UTC, `2026-11-15`. */
  readonly day?: string;
}

/** Total usage of one model's turns. Counts that no turn reported are omitted, as in `Usage`. */
export interface UsageTotal {
  readonly model?: string;
  /** Number of turns that reported any usage. */
  readonly turns: number;
  /** Number of those not included in the cost, because their price is unknown. */
  readonly unpricedTurns: number;
  /** The cost is the sum of each turn's own cost, as `costOf` computes it. */
  readonly usage: Usage;
}

/** Filtering by workspace limits it to sessions that still exist. */
export interface UsageByDayQuery extends SessionScope {
  /** The first day in UTC, `2026-11-15`. */
  readonly from: string;
  /** Separate rows per client. The client is read from the log, so it is unknown for deleted sessions. */
  readonly byClient?: boolean;
}

export interface UsageOfDay extends UsageTotal {
  readonly day: string;
  /** Omitted for turns of an earlier Caret whose session is deleted. */
  readonly lane?: LaneName;
  readonly sessionId: string;
  /** The session's title; omitted if the session was deleted. */
  readonly title?: string;
  /** Who asked, if the query was by client and the log knows. */
  readonly client?: string;
  /** Owner of the session. Default: the gateway's own user. */
  readonly user?: string;
}

export interface ReadOptions {
  readonly afterSeq?: number;
  /** Instead of `afterSeq`: the newest events before this one, still oldest first. */
  readonly beforeSeq?: number;
  readonly limit?: number;
  /** False omits the raw lines, which are most of the data. */
  readonly raw?: boolean;
}

export interface WriteOptions {
  /** While another process holds the log, wait for it, keeping the place in the order, instead of giving up. */
  readonly keepTrying?: boolean;
  /** Not awaited: it may be written a little later, batched with other writes. */
  readonly isPatient?: boolean;
}

export interface CommandOptions {
  /**
   * Recorded in the same commit as its effect, so neither exists without the other. Rejects with `session-busy` if a record of this name
   * exists.
   */
  readonly command?: CommandKey;
}

export interface CreateOptions extends WriteOptions, CommandOptions {
  /** The session's agent, created in the same commit. Rejects with `invalid-request` if its name is taken. */
  readonly agent?: NewAgent;
  /** Hides the session from lists, searches and other processes until it is published. Removed if this process dies before that. */
  readonly staged?: true;
}

export interface DeleteOptions extends CommandOptions {
  /** Delete only if last updated before this time. */
  readonly updatedBefore?: number;
}

export interface AppendOptions extends WriteOptions, CommandOptions {
  /**
   * These events happened elsewhere, in another session or on another machine: their usage was paid there and counts towards no day's
   * total.
   */
  readonly copied?: true;
  /** The append's writer: all its earlier appends must have been accepted. */
  readonly writer?: LogWriter;
}

/**
 * One writer of consecutive appends. Once an append is refused, the store refuses all later ones, including those under way: events after
 * a gap must not be accepted just because the log happens to be at the position they expect.
 */
export interface LogWriter {
  /** Set by the store. */
  refused?: CaretError;
}

/** Selects old sessions. */
export interface PruneRule {
  /** Sessions last updated longer ago than this are deleted … */
  readonly olderThanMs: number;
  /** … unless they are among this many most recently updated ones. */
  readonly keep: number;
}

/** Called for each commit in `seq` order, once it is durable. Must not throw. */
export type CommitListener = (committed: readonly StoredEvent[]) => void;

/** Called when a session was created, appended to, changed or deleted, once that is durable. Must not throw. */
export type SessionWatcher = (sessionId: string) => void;

/**
 * The log of every session, and the only history. All implementations run `describeEventStore` and `describeSearch`.
 *
 * - A resolved promise means durable: nothing acknowledged is lost, whatever kills the process.
 * - What rejected with `storage-failed` may still turn up after a restart; read before writing again.
 * - Several processes may share one log, so a session can move on between two calls. A caller that decides by what it has read takes
 *   `lastSeq` first, reads, and appends at that `lastSeq`: anything in between then shows as `session-busy`.
 * - `overloaded` means that another process held the log for too long: nothing was written, and retrying may help. Waiting for the log
 *   never blocks the process.
 * - A reader that wants every event once subscribes first, then reads, then drops each `seq` it has seen.
 */
export interface EventStore {
  /** Owner recorded on turns written by this store. */
  readonly owner: string;
  /** Whether a turn's owner still runs, in this process or another, inside a container or outside. */
  isOwnerAlive(owner: string): boolean;

  /** Rejects with `invalid-request` if the id is taken. */
  createSession(session: NewSession, options?: CreateOptions): Promise<SessionRecord>;
  /** Makes a complete staged session visible. Rejects with `session-not-found` if it does not exist. */
  publishSession(sessionId: string, changes?: SessionChanges, options?: CommandOptions): Promise<SessionRecord>;
  getSession(sessionId: string): Promise<SessionRecord | undefined>;
  listSessions(query?: SessionQuery): Promise<SessionPage>;
  /** The ids of all sessions, unordered. */
  sessionIds(query?: SessionScope): Promise<readonly string[]>;
  /** Rejects with `session-not-found`. */
  updateSession(sessionId: string, changes: SessionChanges, options?: WriteOptions): Promise<SessionRecord>;
  /** Sets only the attachment, as every turn does; returns nothing, which saves a read. */
  attachUpstream(sessionId: string, upstream: UpstreamAttachment, options?: WriteOptions): Promise<void>;
  /**
   * Returns whether a (matching) session was deleted. It disappears at once; its events are deleted in small steps, so a large session
   * blocks no one. Its usage stays in the daily totals. Rejects with `session-busy` while the log lists a running turn of it, unless it is
   * staged.
   */
  deleteSession(sessionId: string, options?: DeleteOptions): Promise<boolean>;
  /** Removes half-created and half-deleted sessions of processes that died. */
  removeLeftovers(signal?: AbortSignal): Promise<void>;
  /** The outcome of a command within the last day. */
  findCommand(name: string): Promise<CommandRecord | undefined>;

  /**
   * Appends all entries or none. Rejects with `session-busy` if the session is not at `expectedSeq` (another writer came first), if the
   * entries' turn has ended or if another turn has begun since, and with `session-not-found`. Appends may be issued without waiting for
   * the previous one.
   *
   * A function defers building entries that are not awaited: it is called once, when they are written, possibly a little later and batched
   * with others. It may return none.
   */
  append(
    sessionId: string,
    expectedSeq: number,
    entries: readonly EventEntry[] | (() => readonly EventEntry[]),
    options?: AppendOptions,
  ): Promise<readonly StoredEvent[]>;
  /** Events after `afterSeq`, oldest first; empty for an unknown session. */
  read(sessionId: string, options?: ReadOptions): Promise<readonly StoredEvent[]>;
  /** Searches what was said, as far as `catchUpSearch` has indexed it. Rejects with `invalid-request` if the text has no word. */
  search(query: SaidQuery): Promise<SaidPage>;
  /**
   * Indexes what is committed, a little per transaction, pausing for appends. For a running turn it indexes only once there is enough to
   * be worth a transaction, and never a block that can still grow. A power cut may undo some of it, which is then repeated.
   */
  catchUpSearch(options?: CatchUpOptions): Promise<void>;
  /** Notifies of appends in this process; those of other processes must be found by reading. Returns unsubscribe. */
  subscribe(sessionId: string, listener: CommitListener): () => void;
  /** Notifies of changes to all sessions, but only those made by this process. Returns unsubscribe. */
  watch(watcher: SessionWatcher): () => void;
  /** Changes whenever another process has written. Cheap enough to poll. */
  foreignVersion(): Promise<number>;

  /** Includes turns of other processes, alive or dead. `interruptRunningTurns` ends the dead ones. */
  runningTurns(query?: RunningTurnQuery): Promise<readonly RunningTurn[]>;
  /** One total per model, sorted by name. A turn's last report counts, as in the fold of a turn. */
  usageTotals(query: UsageQuery): Promise<readonly UsageTotal[]>;
  countTurns(query: TurnCountQuery): Promise<TurnCount>;
  /** One total per day, model, session and lane, newest day first. Copied usage is excluded. */
  usageByDay(query: UsageByDayQuery): Promise<readonly UsageOfDay[]>;
  /** Ids of the sessions that the rule selects, newest first; never a pinned one or one with a running turn. */
  prunable(rule: PruneRule): Promise<readonly string[]>;
  /** From now on no call waits longer than this for a log held by another process: the store is about to be closed. */
  limitWaits(ms: number): void;
  /** Commits pending writes, then frees everything. Later calls reject with `storage-failed`. */
  close(): Promise<void>;
}

/** How long a command's outcome is kept for clients that repeat it. */
export const COMMANDS_KEPT_MS = 24 * 3_600_000;

/** Events per read if the reader sets no limit. */
export const READ_LIMIT = 1_000;

export function unknownSession(sessionId: string): CaretError {
  return new CaretError("session-not-found", `There is no session ${sessionId}`);
}

export function sessionTaken(sessionId: string): CaretError {
  return new CaretError("invalid-request", `There is a session ${sessionId} already`);
}

export function notStaged(sessionId: string): CaretError {
  return new CaretError("session-not-found", `The session ${sessionId} was deleted while it was made`);
}

export function turnRuns(sessionId: string): CaretError {
  return new CaretError("session-busy", `A turn of the session ${sessionId} is still running`);
}
