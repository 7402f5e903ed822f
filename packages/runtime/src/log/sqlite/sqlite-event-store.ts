import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CommandRecord } from "@caret/protocol";
import { makePrivateDirectory } from "../../paths/private-files.ts";
import type { AgentStore } from "../agent-store.ts";
import { type CommitListeners, createCommitListeners } from "../commit-listeners.ts";
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
  unknownSession,
  type WriteOptions,
} from "../event-store.ts";
import { asWriter, noteRefusal } from "../process-owner.ts";
import type { CatchUpOptions, SaidPage, SaidQuery } from "../search/said-query.ts";
import { catchUpSaid, type SaidIndex, searchSaid } from "../search/said-search.ts";
import { changeSession } from "../session-record.ts";
import { DEFAULT_RAW_MAX_BYTES } from "../stored-event.ts";
import { appendEvents, findSession } from "./append-events.ts";
import { type Checkpoints, createCheckpoints } from "./checkpoints.ts";
import { type DirectoryLock, lockDirectory } from "./directory-lock.ts";
import { createGroupCommit, type GroupCommit, HELD_MS } from "./group-commit.ts";
import { type LogConnection, openLogConnection } from "./log-connection.ts";
import {
  createLogOpeners,
  isOwnerAlive,
  type LogOpeners,
  lockOwner,
  type OwnerLock,
  sweepOwnerLocks,
} from "./log-openers.ts";
import type { LogTables } from "./log-tables.ts";
import { createIn, publishIn } from "./make-session.ts";
import { openLog, reopenLog } from "./open-log.ts";
import { prepareEvent, weightOf, weightOfPieces, weightOfStart } from "./prepared-event.ts";
import { removeSession, removeStep } from "./remove-session.ts";
import { retryWhileHeld } from "./retry-while-held.ts";
import { createSqliteAgentStore } from "./sqlite-agent-store.ts";
import { toStorageError } from "./storage-error.ts";
import { createWalSync, type SyncFile, type WalSync } from "./wal-sync.ts";

export const LOG_FILE = "caret.db";
/** Maximum weight of a commit made before the next turn of the loop. */
const MOST_URGENT = 16;

export interface SqliteEventStoreOptions {
  /** Created if missing, private to the user. Must be on a local disk. */
  readonly directory: string;
  /** At most one gateway per directory; any number of guests, with or without a gateway. */
  readonly role: "gateway" | "guest";
  /** This process's name in its turns and in the list of openers. Default: backed by a lock that lives as long as the process. */
  readonly owner?: string;
  readonly isAlive?: (owner: string) => boolean;
  readonly now?: () => number;
  readonly pid?: number;
  /** How long a call waits for a log held by another process before it is refused as `overloaded`. */
  readonly heldMs?: number;
  readonly rawMaxBytes?: number;
  readonly onListenerError?: (error: unknown) => void;
  /** How the journal is synced to disk. */
  readonly syncFile?: SyncFile;
}

/** The event store, with the registry of agents in the same file. */
export interface LogStore extends EventStore {
  readonly agents: AgentStore;
}

/** What an open store holds. */
interface Holdings {
  readonly connection: LogConnection;
  readonly wal: WalSync;
  readonly checkpoints: Checkpoints;
  readonly openers: LogOpeners;
  readonly lock: DirectoryLock | undefined;
  readonly owner: string;
  readonly ownerLock: OwnerLock | undefined;
}

/**
 * Throws `storage-locked` for a gateway if another one has the directory, and `storage-failed` if the log is corrupt or too new. Nothing
 * of the log is cached in memory, because another process may change any of it.
 */
export function openSqliteEventStore(options: SqliteEventStoreOptions): LogStore {
  const { directory, role, now = Date.now, pid = process.pid } = options;
  const isAlive = options.isAlive ?? ((owner) => isOwnerAlive(directory, owner));
  const path = join(directory, LOG_FILE);
  const wal = createWalSync(path, options.syncFile);
  const checkpoints = createCheckpoints(path);
  const undo: (() => void)[] = [];
  try {
    makePrivateDirectory(directory);
    const openers = createLogOpeners({ directory, isAlive, now });
    const held = openers.enter((others) => {
      const lock = role === "gateway" ? lockDirectory(directory, { pid, now, isAlone: !others.someAlive }) : undefined;
      undo.unshift(() => lock?.release());
      const connection = openLogConnection({
        open: () => openLog(path, { others, now, survives: "process" }),
        reopen: () => reopenLog(path, { survives: "process" }),
        onDrop: wal.forget,
      });
      undo.unshift(() => connection.close());
      sweepOwnerLocks(directory);
      const ownerLock = options.owner === undefined ? lockOwner(directory, pid) : undefined;
      undo.unshift(() => ownerLock?.release());
      return {
        connection,
        wal,
        checkpoints,
        openers,
        lock,
        ownerLock,
        owner: ownerLock?.owner ?? String(options.owner),
      };
    });
    return new SqliteEventStore(held, { ...options, isOwnerAlive: isAlive });
  } catch (reason) {
    for (const each of undo) each();
    throw toStorageError(reason);
  }
}

class SqliteEventStore implements LogStore {
  readonly agents: AgentStore;
  readonly owner: string;
  readonly isOwnerAlive: (owner: string) => boolean;
  readonly #held: Holdings;
  readonly #writer: GroupCommit;
  readonly #listeners: CommitListeners;
  readonly #now: () => number;
  readonly #rawMaxBytes: number;
  #heldMs: number;

  constructor(held: Holdings, options: SqliteEventStoreOptions & Pick<EventStore, "isOwnerAlive">) {
    this.owner = held.owner;
    this.isOwnerAlive = options.isOwnerAlive;
    this.#held = held;
    this.#heldMs = options.heldMs ?? HELD_MS;
    this.#writer = createGroupCommit({ ...held, heldMs: this.#heldMs });
    this.#listeners = createCommitListeners(options.onListenerError ?? (() => {}));
    this.#now = options.now ?? Date.now;
    this.#rawMaxBytes = options.rawMaxBytes ?? DEFAULT_RAW_MAX_BYTES;
    this.agents = createSqliteAgentStore({
      write: this.#writer.run,
      read: (work) => this.#read(work),
      touch: this.#listeners.touch,
      now: this.#now,
    });
  }

  async createSession(session: NewSession, options: CreateOptions = {}): Promise<SessionRecord> {
    const create = (tables: LogTables): SessionRecord => createIn(tables, session, this.#noted(options));
    const created = await this.#writer.run(1, create, { ...options, about: session.id });
    if (options.staged !== true) this.#listeners.touch(session.id);
    return created;
  }

  async publishSession(
    sessionId: string,
    changes: SessionChanges = {},
    options: CommandOptions = {},
  ): Promise<SessionRecord> {
    const publish = (tables: LogTables): SessionRecord => publishIn(tables, sessionId, changes, this.#noted(options));
    const published = await this.#writer.run(1, publish, { about: sessionId });
    this.#listeners.touch(sessionId);
    return published;
  }

  async getSession(sessionId: string): Promise<SessionRecord | undefined> {
    return await this.#read(({ sessions }) => sessions.find(sessionId));
  }

  async listSessions(query: SessionQuery = {}): Promise<SessionPage> {
    return await this.#read(({ sessions }) => sessions.list(query));
  }

  async sessionIds(scope: SessionScope = {}): Promise<readonly string[]> {
    return await this.#read(({ sessions }) => sessions.ids(scope));
  }

  async updateSession(sessionId: string, changes: SessionChanges, options: WriteOptions = {}): Promise<SessionRecord> {
    const update = (tables: LogTables): SessionRecord => {
      const changed = changeSession(findSession(tables, sessionId), changes, this.#now());
      tables.sessions.save(changed);
      return changed;
    };
    const updated = await this.#writer.run(1, update, { ...options, about: sessionId });
    this.#listeners.touch(sessionId);
    return updated;
  }

  async attachUpstream(sessionId: string, upstream: UpstreamAttachment, options: WriteOptions = {}): Promise<void> {
    const attach = ({ sessions }: LogTables): void => {
      if (!sessions.attach(sessionId, upstream, this.#now())) throw unknownSession(sessionId);
    };
    await this.#writer.run(1, attach, { ...options, about: sessionId });
    this.#listeners.touch(sessionId);
  }

  async deleteSession(sessionId: string, options: DeleteOptions = {}): Promise<boolean> {
    const remove = (tables: LogTables) => removeSession(tables, sessionId, this.#noted(options));
    const removed = await this.#writer.run(1, remove, { about: sessionId });
    if (removed === undefined) return false;
    this.#listeners.touch(sessionId);
    if (removed === "hidden") await this.#removeRest(sessionId);
    return true;
  }

  async removeLeftovers(signal?: AbortSignal): Promise<void> {
    for (const { id, why, owner } of await this.#read(({ sessions }) => sessions.hidden())) {
      if (signal?.aborted === true) return;
      if (why === "removed") await this.#removeRest(id, signal);
      else if (!this.isOwnerAlive(owner)) await this.deleteSession(id);
    }
  }

  async findCommand(name: string): Promise<CommandRecord | undefined> {
    return await this.#read(({ commands }) => commands.find(name, this.#now()));
  }

  async append(
    sessionId: string,
    expectedSeq: number,
    entries: readonly EventEntry[] | (() => readonly EventEntry[]),
    { copied, keepTrying = false, writer, command }: AppendOptions = {},
  ): Promise<readonly StoredEvent[]> {
    const prepareAll = (given: readonly EventEntry[]) => given.map((entry) => prepareEvent(entry, this.#rawMaxBytes));
    const isLater = typeof entries === "function";
    const start = isLater ? 0 : weightOfStart(entries[0]);
    // Pass a prompt of megabytes to the agent first: even its JSON is made afterwards.
    const givesWay = start > MOST_URGENT;
    let prepared = isLater || givesWay ? undefined : prepareAll(entries);
    const weight = prepared === undefined ? Math.max(1, start) : weightOf(prepared);
    const work = (tables: LogTables): readonly StoredEvent[] => {
      // A failed transaction is retried with the same entries.
      prepared ??= prepareAll(isLater ? entries() : entries);
      const how = { sessionId, expectedSeq, prepared, copied: copied ?? false, owner: this.owner, command };
      return isLater && prepared.length === 0
        ? []
        : asWriter(writer, () => appendEvents(tables, { ...how, now: this.#now() }));
    };
    // A listener waits for every commit of its session.
    const isPatient = isLater && !this.#listeners.has(sessionId);
    try {
      // A client's answer waits for the start of its turn.
      const isUrgent = start > 0 && !givesWay && weight <= MOST_URGENT;
      const how = { isPatient, isUrgent, givesWay, keepTrying, about: sessionId };
      const stored = await this.#writer.run(weight, work, how);
      this.#listeners.publish(sessionId, stored);
      return stored;
    } catch (reason) {
      noteRefusal(writer, reason);
      throw reason;
    }
  }

  async read(sessionId: string, options: ReadOptions = {}): Promise<readonly StoredEvent[]> {
    return await this.#onDisk(() => this.#read((tables) => tables.events.read(sessionId, options)));
  }

  async search(query: SaidQuery): Promise<SaidPage> {
    // The index can be ahead of the disk.
    return await this.#onDisk(() => searchSaid(this.#said, query));
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
    return await retryWhileHeld(
      () => this.#held.connection.use(({ foreignVersion }) => foreignVersion()),
      this.#heldMs,
    );
  }

  async runningTurns(query: RunningTurnQuery = {}): Promise<readonly RunningTurn[]> {
    return await this.#read(({ turns }) => turns.running(query));
  }

  async usageTotals(query: UsageQuery): Promise<readonly UsageTotal[]> {
    return await this.#read(({ turns }) => turns.totals(query));
  }

  async countTurns(query: TurnCountQuery): Promise<TurnCount> {
    return await this.#read(({ turns }) => turns.count(query));
  }

  async usageByDay(query: UsageByDayQuery): Promise<readonly UsageOfDay[]> {
    return await this.#read(({ turns }) => turns.byDay(query));
  }

  async prunable({ olderThanMs, keep }: PruneRule): Promise<readonly string[]> {
    return await this.#read(({ sessions }) => sessions.prunable(this.#now() - olderThanMs, keep));
  }

  limitWaits(ms: number): void {
    this.#heldMs = Math.min(this.#heldMs, ms);
    this.#writer.limitWaits(ms);
  }

  async close(): Promise<void> {
    const { connection, wal, checkpoints, openers, lock, ownerLock } = this.#held;
    await this.#writer.drain();
    await checkpoints.close();
    wal.forget();
    try {
      if (connection.close()) signOut(openers);
    } catch (reason) {
      throw toStorageError(reason);
    } finally {
      ownerLock?.release();
      lock?.release();
    }
  }

  get #said(): SaidIndex {
    return {
      behind: (afterId) => this.#read(({ said }) => said.behind(afterId)),
      behindIn: (sessionId) => this.#read(({ said }) => said.behindIn(sessionId)),
      countBehind: () => this.#read(({ said }) => said.countBehind()),
      read: (sessionId, options) => this.#read(({ events }) => events.read(sessionId, options)),
      insert: (session, pieces, through) =>
        this.#writer.run(weightOfPieces(pieces), ({ said }) => said.insert(session, pieces, through), {
          about: session.id,
          isRemakeable: true,
        }),
      find: (terms, query) => this.#read(({ said }) => said.find(terms, query)),
    };
  }

  #noted<Options>(options: Options): Options & { readonly now: number; readonly owner: string } {
    return { ...options, now: this.#now(), owner: this.owner };
  }

  /** A few events per transaction, each followed by an equally long pause for others. */
  async #removeRest(sessionId: string, signal?: AbortSignal): Promise<void> {
    for (let isGone = false; !isGone && signal?.aborted !== true; ) {
      const startedAt = performance.now();
      isGone = await this.#writer.run(1, (tables) => removeStep(tables, sessionId), { about: sessionId });
      await sleep(performance.now() - startedAt);
    }
  }

  /**
   * The data read may have been committed a moment ago. Returns nothing that a power cut could still undo: if its sync failed, it is read
   * again from a reopened and verified file, or refused.
   */
  async #onDisk<Result>(read: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const found = await read();
      if (await this.#held.wal.settled()) return found;
    }
  }

  /** First tried synchronously, within the call itself. */
  #read<Result>(work: (tables: LogTables) => Result): Promise<Result> {
    return retryWhileHeld(() => this.#held.connection.use(({ tables }) => work(tables)), this.#heldMs);
  }
}

function signOut(openers: LogOpeners): void {
  try {
    openers.leave();
  } catch {
    // The log itself is closed and complete. A name left behind costs the next opener a check but loses no event.
  }
}
