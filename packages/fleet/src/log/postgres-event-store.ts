import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { CaretError, type CommandRecord } from "@caret/protocol";
import type { AgentStore } from "@caret/runtime/log/agent-store.ts";
import { type CommitListeners, createCommitListeners } from "@caret/runtime/log/commit-listeners.ts";
import {
  type AppendOptions,
  type CommandOptions,
  type CommitListener,
  type CreateOptions,
  type DeleteOptions,
  type EventEntry,
  type EventStore,
  type NewSession,
  type PruneRule,
  READ_LIMIT,
  type ReadOptions,
  type RunningTurn,
  type RunningTurnQuery,
  type SessionChanges,
  type SessionPage,
  type SessionQuery,
  type SessionRecord,
  type SessionScope,
  type SessionWatcher,
  type StoredEvent,
  type TurnCount,
  type TurnCountQuery,
  type UpstreamAttachment,
  type UsageByDayQuery,
  type UsageOfDay,
  type UsageQuery,
  type UsageTotal,
} from "@caret/runtime/log/event-store.ts";
import { toStoredEvent } from "@caret/runtime/log/rows/event-row.ts";
import type { CatchUpOptions, SaidPage, SaidQuery } from "@caret/runtime/log/search/said-query.ts";
import { catchUpSaid, type SaidIndex, searchSaid } from "@caret/runtime/log/search/said-search.ts";
import { DEFAULT_RAW_MAX_BYTES } from "@caret/runtime/log/stored-event.ts";
import type { Database, Queries } from "../database/open-database.ts";
import { type AppendQueue, commandKey, createAppendQueue } from "./append-queue.ts";
import { findCommand } from "./command-sql.ts";
import { changeIn, createIn, publishIn } from "./make-session.ts";
import { enterOpeners, type Openers } from "./openers.ts";
import { createOrderedWork, type OrderedWork } from "./ordered-work.ts";
import { createPatience, type Patience } from "./patience.ts";
import { createPostgresAgentStore } from "./postgres-agent-store.ts";
import { removeIn, removeStep } from "./remove-session.ts";
import { countBehind, findBehind, findBehindIn, findSaid, insertSaid } from "./said-sql.ts";
import { findSession, listHidden, listIds, listPrunable, listSessions } from "./session-sql.ts";
import { countTurns, listRunning, sumUsage, sumUsageByDay } from "./turn-sql.ts";

/** Limits how long closing waits for a database that is away: the next start finds the unfinished turns. */
const CLOSE_MS = 2_000;

export interface PostgresEventStoreOptions {
  /** Must be migrated. */
  readonly database: Database;
  /** The store owns the database and closes it. */
  readonly isDatabaseOwn?: boolean;
  /** This process's name in its turns. Default: a generated one. */
  readonly owner?: string;
  readonly role?: "gateway" | "worker" | "guest";
  readonly version?: string;
  /** The fence under which this process may append to a session. Undefined: no fence is checked. */
  readonly fenceOf?: (sessionId: string) => number | undefined;
  /** How long this process holds a session it makes, without renewal. Undefined: the session is free for any process. */
  readonly newLeaseMs?: (sessionId: string) => number | undefined;
  /** A worker's machine: sessions it makes belong there, and it sees only that machine's queues. */
  readonly home?: string;
  /** Default: true. False for workers, whose role may not delete events: they hide sessions, and a gateway deletes them. */
  readonly mayDelete?: boolean;
  /** Default: decides by when a process was last seen. */
  readonly isOwnerAlive?: (owner: string) => boolean;
  /** Called when an append of this process is durable. */
  readonly onAppended?: (sessionId: string, lastSeq: number) => void;
  /** Called when this process made, changed or deleted a session. */
  readonly onTouched?: (sessionId: string) => void;
  readonly now?: () => number;
  readonly rawMaxBytes?: number;
  readonly onListenerError?: (error: unknown) => void;
}

/** The event store, with the agent registry in the same database. */
export interface PostgresLogStore extends EventStore {
  readonly agents: AgentStore;
}

/** Rejects with `storage-failed` if the database cannot be reached. Reads are never cached, only the sessions' positions for appends. */
export async function openPostgresEventStore(options: PostgresEventStoreOptions): Promise<PostgresLogStore> {
  const { database, role = "guest", version = "0" } = options;
  const machine = hostname();
  const owner = options.owner ?? `${machine}-${randomUUID()}`;
  await database.query("select make_event_partitions()");
  const openers = await enterOpeners({ database, owner, role, machine, version });
  return new PostgresEventStore(openers, { ...options, owner });
}

class PostgresEventStore implements PostgresLogStore {
  readonly agents: AgentStore;
  readonly owner: string;
  readonly isOwnerAlive: (owner: string) => boolean;
  readonly #database: Database;
  readonly #openers: Openers;
  readonly #ordered: OrderedWork = createOrderedWork();
  readonly #patience: Patience = createPatience();
  readonly #appends: AppendQueue;
  readonly #listeners: CommitListeners;
  readonly #touch: (sessionId: string) => void;
  readonly #newLeaseMs: (sessionId: string) => number | undefined;
  readonly #now: () => number;
  readonly #isDatabaseOwn: boolean;
  readonly #home: string | undefined;
  readonly #mayDelete: boolean;
  #isClosed = false;

  constructor(openers: Openers, options: PostgresEventStoreOptions & { readonly owner: string }) {
    const { database, owner, onAppended = () => undefined, onListenerError = () => undefined } = options;
    this.owner = owner;
    this.isOwnerAlive = options.isOwnerAlive ?? openers.isAlive;
    this.#database = database;
    this.#isDatabaseOwn = options.isDatabaseOwn ?? false;
    this.#mayDelete = options.mayDelete ?? true;
    this.#home = options.home;
    this.#openers = openers;
    this.#newLeaseMs = options.newLeaseMs ?? (() => undefined);
    this.#now = options.now ?? Date.now;
    this.#listeners = createCommitListeners(onListenerError);
    this.#touch = (sessionId) => {
      this.#listeners.touch(sessionId);
      options.onTouched?.(sessionId);
    };
    this.#appends = createAppendQueue({
      database,
      ordered: this.#ordered,
      patience: this.#patience,
      fenceOf: options.fenceOf ?? (() => undefined),
      owner,
      now: this.#now,
      rawMaxBytes: options.rawMaxBytes ?? DEFAULT_RAW_MAX_BYTES,
      onCommit: (sessionId, lastSeq) => {
        openers.noteCommit();
        onAppended(sessionId, lastSeq);
      },
    });
    this.agents = createPostgresAgentStore({
      write: (about, work) => this.#write([`agent ${about}`], work),
      read: (work) => this.#read(work),
      touch: this.#touch,
      at: options.home === undefined ? undefined : { machine: options.home, owner },
      now: this.#now,
    });
  }

  async createSession(session: NewSession, options: CreateOptions = {}): Promise<SessionRecord> {
    const leaseMs = this.#newLeaseMs(session.id);
    const create = (queries: Queries) =>
      createIn(queries, session, { ...this.#noted(options), leaseMs, home: this.#home });
    const created = await this.#writeSession(session.id, create, options);
    if (options.staged !== true) this.#touch(session.id);
    return created;
  }

  async publishSession(
    sessionId: string,
    changes: SessionChanges = {},
    options: CommandOptions = {},
  ): Promise<SessionRecord> {
    const publish = (queries: Queries) => publishIn(queries, sessionId, changes, this.#noted(options));
    const published = await this.#writeSession(sessionId, publish, options);
    this.#touch(sessionId);
    return published;
  }

  async getSession(sessionId: string): Promise<SessionRecord | undefined> {
    return await this.#read((queries) => findSession(queries, sessionId));
  }

  async listSessions(query: SessionQuery = {}): Promise<SessionPage> {
    return await this.#read((queries) => listSessions(queries, query));
  }

  async sessionIds(scope: SessionScope = {}): Promise<readonly string[]> {
    return await this.#read((queries) => listIds(queries, scope));
  }

  async updateSession(sessionId: string, changes: SessionChanges): Promise<SessionRecord> {
    const change = (queries: Queries) => changeIn(queries, sessionId, changes, this.#now());
    const updated = await this.#writeSession(sessionId, change);
    this.#touch(sessionId);
    return updated;
  }

  async attachUpstream(sessionId: string, upstream: UpstreamAttachment): Promise<void> {
    await this.updateSession(sessionId, { upstream });
  }

  async deleteSession(sessionId: string, options: DeleteOptions = {}): Promise<boolean> {
    const mayDelete = this.#mayDelete;
    const remove = (queries: Queries) => removeIn(queries, sessionId, { ...this.#noted(options), mayDelete });
    const removed = await this.#writeSession(sessionId, remove, options);
    if (removed === undefined) return false;
    this.#touch(sessionId);
    if (removed === "hidden") await this.#removeRest(sessionId);
    return true;
  }

  async removeLeftovers(signal?: AbortSignal): Promise<void> {
    if (this.isOwnerAlive === this.#openers.isAlive) await this.#read(() => this.#openers.look());
    for (const { id, why, owner } of await this.#read(listHidden)) {
      if (signal?.aborted === true) return;
      if (why === "removed") await this.#removeRest(id, signal);
      else if (!this.isOwnerAlive(owner)) await this.deleteSession(id);
    }
  }

  async findCommand(name: string): Promise<CommandRecord | undefined> {
    return await this.#read((queries) => findCommand(queries, name, this.#now()));
  }

  async append(
    sessionId: string,
    expectedSeq: number,
    entries: readonly EventEntry[] | (() => readonly EventEntry[]),
    { copied, keepTrying = false, writer, command }: AppendOptions = {},
  ): Promise<readonly StoredEvent[]> {
    this.#assertOpen();
    const isLater = typeof entries === "function";
    let given: readonly EventEntry[] | undefined = isLater ? undefined : entries;
    const once = (): readonly EventEntry[] => {
      given ??= isLater ? entries() : [];
      return given;
    };
    const { promise, resolve, reject } = Promise.withResolvers<readonly StoredEvent[]>();
    const job = {
      expectedSeq,
      entries: once,
      isLater,
      copied: copied === true,
      keepTrying,
      writer,
      command,
      resolve,
      reject,
    };
    // A listener waits for every commit of its session.
    this.#appends.add(sessionId, job, isLater && !this.#listeners.has(sessionId));
    const stored = await promise;
    this.#listeners.publish(sessionId, stored);
    return stored;
  }

  async read(sessionId: string, options: ReadOptions = {}): Promise<readonly StoredEvent[]> {
    const { afterSeq = 0, beforeSeq, limit = READ_LIMIT, raw = true } = options;
    const columns = raw
      ? "session_id, seq, turn_id, at, data, raw, raw_cut"
      : "session_id, seq, turn_id, at, data, null as raw";
    const [place, order] = beforeSeq === undefined ? [">", "asc"] : ["<", "desc"];
    const sql = `select ${columns} from events where session_id = $1 and seq ${place} $2 order by seq ${order} limit $3`;
    const name = `read ${order} ${raw}`;
    const { rows } = await this.#read((queries) => queries.query(sql, [sessionId, beforeSeq ?? afterSeq, limit], name));
    const events = rows.map(toStoredEvent);
    return beforeSeq === undefined ? events : events.reverse();
  }

  async search(query: SaidQuery): Promise<SaidPage> {
    return await searchSaid(this.#said, query);
  }

  async catchUpSearch(options: CatchUpOptions = {}): Promise<void> {
    await catchUpSaid(options, this.#said);
  }

  subscribe(sessionId: string, listener: CommitListener): () => void {
    return this.#listeners.add(sessionId, listener);
  }

  watch(watcher: SessionWatcher): () => void {
    return this.#listeners.watch(watcher);
  }

  async foreignVersion(): Promise<number> {
    return await this.#read(() => this.#openers.foreignVersion());
  }

  async runningTurns(query: RunningTurnQuery = {}): Promise<readonly RunningTurn[]> {
    // Callers ask next which of the owners live.
    await this.#read(() => this.#openers.look());
    return await this.#read((queries) => listRunning(queries, query));
  }

  async usageTotals(query: UsageQuery): Promise<readonly UsageTotal[]> {
    return await this.#read((queries) => sumUsage(queries, query));
  }

  async countTurns(query: TurnCountQuery): Promise<TurnCount> {
    return await this.#read((queries) => countTurns(queries, query));
  }

  async usageByDay(query: UsageByDayQuery): Promise<readonly UsageOfDay[]> {
    return await this.#read((queries) => sumUsageByDay(queries, query));
  }

  async prunable({ olderThanMs, keep }: PruneRule): Promise<readonly string[]> {
    return await this.#read((queries) => listPrunable(queries, this.#now() - olderThanMs, keep));
  }

  limitWaits(ms: number): void {
    this.#patience.limit(ms);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#patience.limit(CLOSE_MS);
    await this.#ordered.settled();
    // A name left behind counts as dead after a few seconds.
    await this.#openers.leave().catch(() => undefined);
    if (this.#isDatabaseOwn) await this.#database.close();
  }

  get #said(): SaidIndex {
    return {
      behind: (afterId) => this.#read((queries) => findBehind(queries, afterId)),
      behindIn: (sessionId) => this.#read((queries) => findBehindIn(queries, sessionId)),
      countBehind: () => this.#read(countBehind),
      read: (sessionId, options) => this.read(sessionId, options),
      // Outside the order of the session's writes, so appends do not wait for the index.
      insert: (session, pieces, through) =>
        this.#write([`said ${session.id}`], (queries) => insertSaid(queries, session, pieces, through)),
      find: (terms, query) => this.#read((queries) => findSaid(queries, terms, query)),
    };
  }

  #noted<Options>(options: Options): Options & { readonly now: number; readonly owner: string } {
    return { ...options, now: this.#now(), owner: this.owner };
  }

  async #removeRest(sessionId: string, signal?: AbortSignal): Promise<void> {
    if (!this.#mayDelete) return;
    for (let isGone = false; !isGone && signal?.aborted !== true; )
      isGone = await this.#writeSession(sessionId, (queries) => removeStep(queries, sessionId));
  }

  #writeSession<Outcome>(
    sessionId: string,
    work: (queries: Queries) => Promise<Outcome>,
    { command }: CommandOptions = {},
  ): Promise<Outcome> {
    this.#appends.close(sessionId);
    return this.#write([sessionId, ...(command === undefined ? [] : [commandKey(command.name)])], work);
  }

  async #write<Outcome>(keys: readonly string[], work: (queries: Queries) => Promise<Outcome>): Promise<Outcome> {
    this.#assertOpen();
    const transact = () => this.#database.transaction(work);
    const outcome = await this.#ordered.run(keys, () => this.#patience.retry(transact));
    this.#openers.noteCommit();
    return outcome;
  }

  async #read<Outcome>(work: (queries: Queries) => Promise<Outcome>): Promise<Outcome> {
    this.#assertOpen();
    return await this.#patience.retry(() => work(this.#database));
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new CaretError("storage-failed", "The event store is closed");
  }
}
