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

/**
 * One event as it was committed. A line that gave several events stands beside the first of them; `rawCut` when it was
 * longer than the store keeps.
 */
export type StoredEvent = EventEnvelope;

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
  /** The id was chosen ahead of time: the first turn makes the session under it. */
  readonly isReserved?: boolean;
}

/** Which sessions a reader may see. */
export interface SessionScope {
  /** Only sessions that work there or below: a physical path. */
  readonly workspace?: string;
  /** Only those of this user; null: only those of the person whose gateway it is. */
  readonly user?: string | null;
}

export interface NewSession {
  readonly id: string;
  /** The user whose session it is; absent: that of the person whose gateway it is. */
  readonly user?: string | undefined;
  /** The team that the user works for. */
  readonly team?: string | undefined;
  readonly workspace: string;
  readonly title?: string;
  readonly lane?: LaneName;
  readonly model?: string;
  /** How much its turns do without asking, where a person said so. */
  readonly permission?: PermissionWord;
  /** The least its turns are walled in by, where a person said so. */
  readonly sandbox?: SandboxWord;
  /** What it may consume, beside what the settings allow. */
  readonly budget?: AgentBudget;
  readonly createdAt: number;
  /** Brought in from an export. */
  readonly imported?: true;
  /** The session that it was copied from. */
  readonly forkedFrom?: ForkOrigin;
}

/** The turn that began last. */
export interface LastTurn {
  readonly turnId: string;
  /** When it ended; while it runs, when it began. */
  readonly at: number;
  /** Absent while it runs. */
  readonly outcome?: TurnOutcome["kind"];
}

export interface SessionRecord extends NewSession, SessionWaits {
  /** The last append or change. */
  readonly updatedAt: number;
  readonly archived: boolean;
  /** A person wants it on top of the list. */
  readonly pinned?: true;
  /** The `seq` of the newest event, 0 when there is none: what the next `append` expects. */
  readonly lastSeq: number;
  /** The first line of what was said last, by either side, or its beginning. */
  readonly lastLine?: string;
  readonly lastTurn?: LastTurn;
  /** The name of the agent whose session it is. */
  readonly agent?: string;
  /** What all its turns consumed. Its cost is absent unless each of them has a known one. */
  readonly usage?: Usage;
  readonly upstream: readonly UpstreamAttachment[];
}

/** What is absent stays as it is. */
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
  /** A part of the title, workspace or id, in any letter case. */
  readonly search?: string;
  /** Only archived sessions, or only the others; both when absent. */
  readonly archived?: boolean;
  /** Only those that are pinned. */
  readonly pinned?: true;
  /** Only those with a turn that has not ended, or whose agent waits for a person's answer to a message. */
  readonly active?: true;
  /** Only those that were copied from this session. */
  readonly forkedFrom?: string;
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
  /** Who wrote its start. A turn whose owner is dead will never end by itself. */
  readonly owner: string;
}

export interface RunningTurnQuery {
  readonly sessionId?: string;
}

/** Of which user or team. */
export interface TurnCountQuery {
  /** In UTC. */
  readonly day: string;
  readonly user?: string;
  readonly team?: string;
}

/** How many turns began that day, those of deleted sessions too where they reported usage; and how many run now. */
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

/** What the turns of one model consumed together. A count no turn reported is absent, as in `Usage`. */
export interface UsageTotal {
  readonly model?: string;
  /** How many turns reported any usage. */
  readonly turns: number;
  /** How many of them the cost does not tell of, since their price is unknown. */
  readonly unpricedTurns: number;
  /** The cost is the sum of what each turn cost by itself, as `costOf` has it. */
  readonly usage: Usage;
}

/** A workspace narrows it to sessions that still exist. */
export interface UsageByDayQuery extends SessionScope {
  /** The first day in UTC, `2026-11-15`. */
  readonly from: string;
  /** Rows of their own for each client, which is read off the log: of sessions that are gone it is not known any more. */
  readonly byClient?: boolean;
}

export interface UsageOfDay extends UsageTotal {
  readonly day: string;
  /** Absent for turns of an earlier Caret whose session is gone. */
  readonly lane?: LaneName;
  readonly sessionId: string;
  /** The session's; absent when it was deleted since. */
  readonly title?: string;
  /** Who asked, where the query was by client and the log knows. */
  readonly client?: string;
  /** The user whose session it was; absent: that of the person whose gateway it is. */
  readonly user?: string;
}

export interface ReadOptions {
  readonly afterSeq?: number;
  /** Instead: the newest ones before this one. They come oldest first all the same. */
  readonly beforeSeq?: number;
  readonly limit?: number;
  /** False leaves the raw lines out, which are most of what is read. */
  readonly raw?: boolean;
}

export interface WriteOptions {
  /** While another process holds the log, wait for it and keep the place in the order, instead of giving up. */
  readonly keepTrying?: boolean;
  /** Nobody waits for it: it may be written a little later, together with what else has come. */
  readonly isPatient?: boolean;
}

export interface CommandOptions {
  /**
   * Recorded in the same commit as what it does, so that there is never one without the other. Rejects with
   * `session-busy` when there is a record under this name already.
   */
  readonly command?: CommandKey;
}

export interface CreateOptions extends WriteOptions, CommandOptions {
  /** The agent whose session it is, made in the same commit. Rejects with `invalid-request` when its name is taken. */
  readonly agent?: NewAgent;
  /**
   * Nobody sees the session before it is published: neither lists nor searches nor other processes. It is removed when
   * this process dies before that.
   */
  readonly staged?: true;
}

export interface DeleteOptions extends CommandOptions {
  /** Only if it was not updated at this time or later. */
  readonly updatedBefore?: number;
}

export interface AppendOptions extends WriteOptions, CommandOptions {
  /**
   * These events happened elsewhere, in another session or on another machine: what they consumed was paid there and
   * counts towards no day's total.
   */
  readonly copied?: true;
  /** Whose append it is: what this writer appended before must have been taken. */
  readonly writer?: LogWriter;
}

/**
 * One writer of appends that follow each other. Once an append of it was refused, the store refuses all later ones, those
 * under way included: what comes after a gap must never be taken because the log happens to stand where it expects.
 */
export interface LogWriter {
  /** Set by the store. */
  refused?: CaretError;
}

/** Which sessions are old. */
export interface PruneRule {
  /** Sessions that were last updated longer ago than this go … */
  readonly olderThanMs: number;
  /** … unless they are among this many most recently updated ones. */
  readonly keep: number;
}

/** Hears of each commit in `seq` order, after it is durable. It must not throw. */
export type CommitListener = (committed: readonly StoredEvent[]) => void;

/** Hears that a session was created, appended to, changed or deleted, after that is durable. It must not throw. */
export type SessionWatcher = (sessionId: string) => void;

/**
 * The log of every session, and the only history there is. All implementations run `describeEventStore` and
 * `describeSearch`.
 *
 * - A promise that resolved means durable: nothing acknowledged is lost, whatever kills the process.
 * - What rejected with `storage-failed` may still turn up after a restart; read before writing again.
 * - Several processes may share one log, so a session can move on between two calls. A caller that decides by what it has read
 *   takes `lastSeq` first, reads, and appends at that `lastSeq`: what came in between then shows as `session-busy`.
 * - `overloaded` means that another process held the log for too long: nothing was written, and trying again may help.
 *   Nobody else has to wait meanwhile: waiting for the log never blocks the process.
 * - A reader that wants every event once subscribes first, then reads, then drops each `seq` it has seen.
 */
export interface EventStore {
  /** What turns that are written here carry as their owner. */
  readonly owner: string;
  /** Whether the owner of a turn still runs, in this process or another, in a container or outside. */
  isOwnerAlive(owner: string): boolean;

  /** Rejects with `invalid-request` when the id is taken. */
  createSession(session: NewSession, options?: CreateOptions): Promise<SessionRecord>;
  /** A staged session is whole now. Rejects with `session-not-found` when there is none. */
  publishSession(sessionId: string, changes?: SessionChanges, options?: CommandOptions): Promise<SessionRecord>;
  getSession(sessionId: string): Promise<SessionRecord | undefined>;
  listSessions(query?: SessionQuery): Promise<SessionPage>;
  /** The ids of all sessions, in no order. */
  sessionIds(query?: SessionScope): Promise<readonly string[]>;
  /** Rejects with `session-not-found`. */
  updateSession(sessionId: string, changes: SessionChanges, options?: WriteOptions): Promise<SessionRecord>;
  /** The same with the attachment alone, as every turn makes one; gives nothing back, so that nothing else has to be read. */
  attachUpstream(sessionId: string, upstream: UpstreamAttachment, options?: WriteOptions): Promise<void>;
  /**
   * Says whether there was one (that fits). It is gone at once; its events go a few at a time, so that nobody waits for a
   * large one. What it consumed stays in the totals of the days. Rejects with `session-busy` while the log knows a turn of
   * it as running; a staged session may have one.
   */
  deleteSession(sessionId: string, options?: DeleteOptions): Promise<boolean>;
  /** Removes what processes that died left half made or half deleted. */
  removeLeftovers(signal?: AbortSignal): Promise<void>;
  /** What became of a command of the last day. */
  findCommand(name: string): Promise<CommandRecord | undefined>;

  /**
   * Append all entries or none. Rejects with `session-busy` when the session is not at `expectedSeq` (another writer
   * got there first), or when their turn has ended or another one has begun since, and with `session-not-found`. Appends
   * may be issued without waiting for the one before.
   *
   * Entries given as a function are what nobody waits for: it is called once, when they are written, which may be a
   * little later, together with what else has come. It may give none.
   */
  append(
    sessionId: string,
    expectedSeq: number,
    entries: readonly EventEntry[] | (() => readonly EventEntry[]),
    options?: AppendOptions,
  ): Promise<readonly StoredEvent[]>;
  /** Events after `afterSeq`, oldest first; none for an unknown session. */
  read(sessionId: string, options?: ReadOptions): Promise<readonly StoredEvent[]>;
  /** Finds what was said, as far as `catchUpSearch` has come. Rejects with `invalid-request` when there is no word in the text. */
  search(query: SaidQuery): Promise<SaidPage>;
  /**
   * Brings the search up to what is committed, a little per transaction, with pauses for those who append. Of a running turn it
   * takes what is worth a transaction, and never a block that may still grow. A power cut may take some of it back, which is then done
   * again.
   */
  catchUpSearch(options?: CatchUpOptions): Promise<void>;
  /**
   * Hears what this process appends; what another process appends is found by reading. Returns the function that ends
   * the subscription.
   */
  subscribe(sessionId: string, listener: CommitListener): () => void;
  /** Hears of all sessions, but only what this process does. Returns the function that ends it. */
  watch(watcher: SessionWatcher): () => void;
  /** Another number than before when another process has written since. Cheap: to be asked again and again. */
  foreignVersion(): Promise<number>;

  /** Also those of other processes, alive or dead. `interruptRunningTurns` ends the ones that never will. */
  runningTurns(query?: RunningTurnQuery): Promise<readonly RunningTurn[]>;
  /** One total per model, by name. The last report of a turn counts, as in the fold of a turn. */
  usageTotals(query: UsageQuery): Promise<readonly UsageTotal[]>;
  countTurns(query: TurnCountQuery): Promise<TurnCount>;
  /** One total per day, model, session and lane, the newest day first. What was copied is of no day. */
  usageByDay(query: UsageByDayQuery): Promise<readonly UsageOfDay[]>;
  /** The ids of the sessions that a rule takes for old, the newest first. Never one that is pinned or has a running turn. */
  prunable(rule: PruneRule): Promise<readonly string[]>;
  /** From here on nobody waits longer than this for a log that another process holds: it is about to be closed. */
  limitWaits(ms: number): void;
  /** Commits what is under way, then frees everything. Later calls reject with `storage-failed`. */
  close(): Promise<void>;
}

/** How long the outcome of a command is kept for a client that sends it again. */
export const COMMANDS_KEPT_MS = 24 * 3_600_000;

/** So many events are read at once where a reader names no limit. */
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
