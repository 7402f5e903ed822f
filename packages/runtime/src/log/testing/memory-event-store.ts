import { CaretError, type CommandKey, type CommandRecord } from "@caret/protocol";
import { wayInside } from "../../paths/physical-path.ts";
import { commandTaken } from "../command-taken.ts";
import { createCommitListeners } from "../commit-listeners.ts";
import {
  type AppendOptions,
  type CommandOptions,
  type CreateOptions,
  type DeleteOptions,
  type EventEntry,
  type EventStore,
  type NewSession,
  notStaged,
  type PruneRule,
  type ReadOptions,
  type RunningTurnQuery,
  type SessionChanges,
  type SessionPage,
  type SessionQuery,
  type SessionRecord,
  type SessionScope,
  type StoredEvent,
  sessionTaken,
  turnRuns,
  type UpstreamAttachment,
  unknownSession,
} from "../event-store.ts";
import { asWriter } from "../process-owner.ts";
import { excerptOf, saysAll } from "../search/excerpt.ts";
import { PieceFold } from "../search/said-pieces.ts";
import type { SaidPage, SaidQuery } from "../search/said-query.ts";
import { readTerms } from "../search/search-words.ts";
import {
  advanceProgress,
  assertPosition,
  fromCursorText,
  noLine,
  progressFields,
  type SessionProgress,
  toCursorText,
} from "../session-progress.ts";
import { changeSession, toSearchText, toSessionRecord } from "../session-record.ts";
import { cutRaw, DEFAULT_RAW_MAX_BYTES } from "../stored-event.ts";
import { createTurnLedger } from "./turn-ledger.ts";

export interface MemoryEventStoreOptions {
  /** Owner recorded on the running turns. */
  readonly owner?: string;
  readonly now?: () => number;
  readonly rawMaxBytes?: number;
  readonly onListenerError?: (error: unknown) => void;
}

/** For tests: implements the store's contract in memory. */
export function createMemoryEventStore(options: MemoryEventStoreOptions = {}): EventStore {
  return new MemoryEventStore(options);
}

class MemoryEventStore implements EventStore {
  readonly owner;
  readonly #sessions = new Map<string, SessionRecord>();
  readonly #logs = new Map<string, StoredEvent[]>();
  readonly #progress = new Map<string, SessionProgress>();
  readonly #turns;
  /** Sessions that are not visible yet. */
  readonly #staged = new Set<string>();
  readonly #commands = new Map<string, CommandRecord>();
  readonly #listeners;
  readonly #now;
  readonly #rawMaxBytes;
  #closed = false;

  constructor(options: MemoryEventStoreOptions) {
    const { owner = "this process", now = Date.now, rawMaxBytes = DEFAULT_RAW_MAX_BYTES, onListenerError } = options;
    this.owner = owner;
    this.#turns = createTurnLedger(owner, (id) => this.#sessions.get(id) ?? {});
    this.#now = now;
    this.#rawMaxBytes = rawMaxBytes;
    this.#listeners = createCommitListeners(onListenerError ?? (() => {}));
  }

  isOwnerAlive(owner: string): boolean {
    return owner === this.owner;
  }

  async createSession(session: NewSession, { staged, command }: CreateOptions = {}): Promise<SessionRecord> {
    this.#assertOpen();
    if (this.#sessions.has(session.id)) throw sessionTaken(session.id);
    this.#record(command, { sessionId: session.id });
    const record = toSessionRecord(session);
    this.#sessions.set(session.id, record);
    this.#logs.set(session.id, []);
    this.#progress.set(session.id, noProgress);
    if (staged === true) this.#staged.add(session.id);
    else this.#listeners.touch(session.id);
    return record;
  }

  async publishSession(
    sessionId: string,
    changes: SessionChanges = {},
    { command }: CommandOptions = {},
  ): Promise<SessionRecord> {
    this.#assertOpen();
    if (!this.#staged.has(sessionId)) throw notStaged(sessionId);
    this.#record(command, { sessionId });
    this.#staged.delete(sessionId);
    return await this.updateSession(sessionId, changes);
  }

  async findCommand(name: string): Promise<CommandRecord | undefined> {
    this.#assertOpen();
    return this.#commands.get(name);
  }

  /** There are no other processes to leave anything behind. */
  async removeLeftovers(): Promise<void> {
    this.#assertOpen();
  }

  async getSession(sessionId: string): Promise<SessionRecord | undefined> {
    this.#assertOpen();
    return this.#staged.has(sessionId) ? undefined : this.#sessions.get(sessionId);
  }

  async listSessions({
    search,
    archived,
    pinned,
    active,
    limit = 50,
    after,
    forkedFrom: _,
    ...scope
  }: SessionQuery = {}): Promise<SessionPage> {
    this.#assertOpen();
    const wanted = search?.toLowerCase() ?? "";
    const found = this.#newestFirst()
      .filter((session) => archived === undefined || session.archived === archived)
      .filter((session) => pinned === undefined || session.pinned === true)
      .filter((session) => active === undefined || isActive(session))
      .filter((session) => toSearchText(session).includes(wanted))
      .filter((session) => isIn(session, scope))
      .filter((session) => after === undefined || compareSessions(fromCursorText(after), session) < 0);
    const sessions = found.slice(0, limit);
    const last = sessions.at(-1);
    return found.length > limit && last !== undefined ? { sessions, next: toCursorText(last) } : { sessions };
  }

  async sessionIds(scope: SessionScope = {}): Promise<readonly string[]> {
    this.#assertOpen();
    const wanted = this.#newestFirst().filter((session) => isIn(session, scope));
    return wanted.map(({ id }) => id);
  }

  async updateSession(sessionId: string, changes: Parameters<EventStore["updateSession"]>[1]): Promise<SessionRecord> {
    this.#assertOpen();
    const changed = changeSession(this.#find(sessionId), changes, this.#now());
    this.#sessions.set(sessionId, changed);
    this.#listeners.touch(sessionId);
    return changed;
  }

  async attachUpstream(sessionId: string, upstream: UpstreamAttachment): Promise<void> {
    await this.updateSession(sessionId, { upstream });
  }

  async deleteSession(sessionId: string, { updatedBefore, command }: DeleteOptions = {}): Promise<boolean> {
    this.#assertOpen();
    const session = this.#sessions.get(sessionId);
    if (session === undefined || session.updatedAt >= (updatedBefore ?? Number.POSITIVE_INFINITY)) return false;
    if (!this.#staged.has(sessionId) && this.#turns.running({ sessionId }).length > 0) throw turnRuns(sessionId);
    this.#record(command, { sessionId });
    this.#logs.delete(sessionId);
    this.#progress.delete(sessionId);
    this.#turns.forget(sessionId);
    this.#sessions.delete(sessionId);
    if (!this.#staged.delete(sessionId)) this.#listeners.touch(sessionId);
    return true;
  }

  async append(
    sessionId: string,
    expectedSeq: number,
    entries: readonly EventEntry[] | (() => readonly EventEntry[]),
    { copied, writer, command }: AppendOptions = {},
  ): Promise<readonly StoredEvent[]> {
    return asWriter(writer, () => {
      const given = typeof entries === "function" ? entries() : entries;
      const stored = this.#append(sessionId, expectedSeq, given, { copied: copied === true, command });
      this.#listeners.publish(sessionId, stored);
      return stored;
    });
  }

  #append(
    sessionId: string,
    expectedSeq: number,
    entries: readonly EventEntry[],
    { copied, command }: { readonly copied: boolean; readonly command: CommandKey | undefined },
  ): readonly StoredEvent[] {
    this.#assertOpen();
    const session = this.#find(sessionId);
    const progress = this.#progress.get(sessionId) ?? noProgress;
    assertPosition(sessionId, progress, { expectedSeq, first: copied ? undefined : entries[0] });
    const now = this.#now();
    const misplaced = entries.find(({ at = now }) => !Number.isSafeInteger(at));
    if (misplaced !== undefined) throw new CaretError("internal", `${misplaced.at} is no time in whole milliseconds`);
    const stored = entries.map(({ turnId, event, at = now, ...rest }, index) => ({
      sessionId,
      seq: expectedSeq + index + 1,
      turnId,
      at,
      event,
      ...cutRaw(rest, this.#rawMaxBytes),
    }));
    const [first] = stored;
    if (first !== undefined) this.#record(command, { sessionId, turn: { turnId: first.turnId, firstSeq: first.seq } });
    const log = this.#logs.get(sessionId) ?? [];
    for (const each of stored) {
      log.push(each);
      this.#turns.record(each, copied);
    }
    const advanced = advanceProgress(progress, stored);
    this.#progress.set(sessionId, advanced);
    const usage = stored.some(({ event }) => event.type === "usage") ? { usage: this.#turns.used(sessionId) } : {};
    if (stored.length > 0)
      this.#sessions.set(sessionId, { ...session, updatedAt: now, ...progressFields(advanced), ...usage });
    return stored;
  }

  async read(sessionId: string, options: ReadOptions = {}): Promise<readonly StoredEvent[]> {
    this.#assertOpen();
    const { afterSeq = 0, beforeSeq, limit = 1_000, raw = true } = options;
    const log = this.#logs.get(sessionId) ?? [];
    const end = beforeSeq === undefined ? afterSeq + limit : Math.min(log.length, Math.max(0, beforeSeq - 1));
    const found = log.slice(beforeSeq === undefined ? afterSeq : Math.max(0, end - limit), end);
    return raw ? found : found.map(({ raw: _, rawCut, ...stored }) => stored);
  }

  async search({ text, sessionId, limit = 20, before, ...scope }: SaidQuery): Promise<SaidPage> {
    this.#assertOpen();
    const terms = readTerms(text);
    const searched = this.#newestFirst().filter(
      (session) => (sessionId === undefined || session.id === sessionId) && isIn(session, scope),
    );
    const found = searched
      .flatMap(({ id }) =>
        new PieceFold(0).push(this.#logs.get(id) ?? []).map((piece) => ({ sessionId: id, ...piece })),
      )
      .filter((piece) => saysAll(piece.text, terms))
      .sort((one, other) => other.at - one.at || other.firstSeq - one.firstSeq)
      .slice(before ?? 0);
    const places = found.slice(0, limit).map(({ firstSeq: seq, lastSeq: _, text: said, ...piece }) => ({
      ...piece,
      seq,
      excerpt: excerptOf(said, terms),
    }));
    return { places, ...(found.length > limit ? { next: (before ?? 0) + limit } : {}), behind: 0 };
  }

  /** Searches the log itself. */
  async catchUpSearch(): Promise<void> {
    this.#assertOpen();
  }

  subscribe(...[sessionId, listener]: Parameters<EventStore["subscribe"]>): () => void {
    return this.#listeners.add(sessionId, listener);
  }

  watch(...[watcher]: Parameters<EventStore["watch"]>): () => void {
    return this.#listeners.watch(watcher);
  }

  /** There are no other writers. */
  async foreignVersion(): Promise<number> {
    this.#assertOpen();
    return 0;
  }

  async runningTurns(query: RunningTurnQuery = {}): ReturnType<EventStore["runningTurns"]> {
    this.#assertOpen();
    return this.#turns.running(query).filter(({ sessionId }) => !this.#staged.has(sessionId));
  }

  async usageTotals(query: Parameters<EventStore["usageTotals"]>[0]): ReturnType<EventStore["usageTotals"]> {
    this.#assertOpen();
    return this.#turns.totals(query);
  }

  async countTurns(query: Parameters<EventStore["countTurns"]>[0]): ReturnType<EventStore["countTurns"]> {
    this.#assertOpen();
    return this.#turns.count(query);
  }

  async usageByDay(query: Parameters<EventStore["usageByDay"]>[0]): ReturnType<EventStore["usageByDay"]> {
    this.#assertOpen();
    const rows = this.#turns.byDay(query, (id) => isIn(this.#sessions.get(id), query));
    return rows.map((row) => {
      const session = this.#sessions.get(row.sessionId);
      return session === undefined ? row : { ...row, title: session.title ?? "" };
    });
  }

  async prunable({ olderThanMs, keep }: PruneRule): Promise<readonly string[]> {
    this.#assertOpen();
    const before = this.#now() - olderThanMs;
    const busy = new Set(this.#turns.running({}).map((turn) => turn.sessionId));
    const old = this.#newestFirst()
      .slice(keep)
      .filter(({ id, updatedAt, pinned }) => updatedAt < before && pinned !== true && !busy.has(id));
    return old.map(({ id }) => id);
  }

  /** There are no other processes to hold it. */
  limitWaits(): void {}

  async close(): Promise<void> {
    this.#closed = true;
  }

  #newestFirst(): readonly SessionRecord[] {
    return [...this.#sessions.values()].filter(({ id }) => !this.#staged.has(id)).sort(compareSessions);
  }

  #record(command: CommandKey | undefined, did: Omit<CommandRecord, "digest">): void {
    if (command === undefined) return;
    if (this.#commands.has(command.name)) throw commandTaken();
    this.#commands.set(command.name, { ...did, digest: command.digest });
  }

  #find(sessionId: string): SessionRecord {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw unknownSession(sessionId);
    return session;
  }

  #assertOpen(): void {
    if (this.#closed) throw new CaretError("storage-failed", "The event store is closed");
  }
}

const noProgress: SessionProgress = { lastSeq: 0, line: noLine, lastTurn: undefined };

function isIn(session: SessionRecord | undefined, { workspace, user }: SessionScope): boolean {
  if (session === undefined) return workspace === undefined;
  const isTheirs = user === undefined || (session.user ?? null) === user;
  return isTheirs && (workspace === undefined || wayInside(workspace, session.workspace) !== undefined);
}

type Place = Pick<SessionRecord, "updatedAt" | "id">;

function isActive({ lastTurn, asksSince }: SessionRecord): boolean {
  return (lastTurn !== undefined && lastTurn.outcome === undefined) || asksSince !== undefined;
}

function compareSessions(one: Place, other: Place): number {
  return other.updatedAt - one.updatedAt || (one.id < other.id ? -1 : Number(one.id > other.id));
}
