import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import type {
  CommitListener,
  EventEntry,
  EventStore,
  NewSession,
  PruneOptions,
  ReadOptions,
  RunningTurn,
  SessionChanges,
  SessionPage,
  SessionQuery,
  SessionRecord,
  StoredEvent,
  UsageQuery,
  UsageTotal,
} from "../../engine/event-store.ts";
import { type CommitListeners, createCommitListeners } from "../commit-listeners.ts";
import { cutRaw, DEFAULT_RAW_MAX_BYTES } from "../cut-raw.ts";
import { changeSession, toSessionRecord } from "../session-record.ts";
import { appendEvents, findSession, type PreparedEvent } from "./append-events.ts";
import { type DirectoryLock, lockDirectory } from "./directory-lock.ts";
import { createGroupCommit, type GroupCommit } from "./group-commit.ts";
import { type LogConnection, openLogConnection } from "./log-connection.ts";
import type { LogTables } from "./log-tables.ts";
import { openLog, reopenLog } from "./open-log.ts";
import { makePrivateDirectory } from "./private-files.ts";
import { toStorageError } from "./storage-error.ts";

export const LOG_FILE = "caret.db";

export interface SqliteEventStoreOptions {
  /** Made when missing, and ours alone. It must be on a local disk. */
  readonly directory: string;
  readonly now?: () => number;
  readonly pid?: number;
  readonly rawMaxBytes?: number;
  readonly onListenerError?: (error: unknown) => void;
}

/** Throws `storage-failed` when another gateway has the directory, and when the log is corrupt or too new. */
export function openSqliteEventStore(options: SqliteEventStoreOptions): EventStore {
  const { directory, now = Date.now, pid = process.pid } = options;
  const path = join(directory, LOG_FILE);
  let lock: DirectoryLock | undefined;
  try {
    makePrivateDirectory(directory);
    lock = lockDirectory(directory, { pid, now });
    const connection = openLogConnection({ open: () => openLog(path, { now }), reopen: () => reopenLog(path) });
    return new SqliteEventStore(connection, lock, options);
  } catch (reason) {
    lock?.release();
    throw toStorageError(reason);
  }
}

class SqliteEventStore implements EventStore {
  readonly #connection: LogConnection;
  readonly #lock: DirectoryLock;
  readonly #writer: GroupCommit;
  readonly #listeners: CommitListeners;
  readonly #now: () => number;
  readonly #rawMaxBytes: number;

  constructor(connection: LogConnection, lock: DirectoryLock, options: SqliteEventStoreOptions) {
    this.#connection = connection;
    this.#lock = lock;
    this.#writer = createGroupCommit({ connection });
    this.#listeners = createCommitListeners(options.onListenerError ?? (() => {}));
    this.#now = options.now ?? Date.now;
    this.#rawMaxBytes = options.rawMaxBytes ?? DEFAULT_RAW_MAX_BYTES;
  }

  createSession(session: NewSession): Promise<SessionRecord> {
    return this.#writer.run(1, ({ sessions }) => {
      if (sessions.find(session.id) !== undefined)
        throw new CaretError("invalid-request", `There is a session ${session.id} already`);
      const record = toSessionRecord(session);
      sessions.save(record);
      return record;
    });
  }

  async getSession(sessionId: string): Promise<SessionRecord | undefined> {
    return this.#read(({ sessions }) => sessions.find(sessionId));
  }

  async listSessions(query: SessionQuery = {}): Promise<SessionPage> {
    return this.#read(({ sessions }) => sessions.list(query));
  }

  updateSession(sessionId: string, changes: SessionChanges): Promise<SessionRecord> {
    return this.#writer.run(1, (tables) => {
      const changed = changeSession(findSession(tables, sessionId), changes, this.#now());
      tables.sessions.save(changed);
      return changed;
    });
  }

  deleteSession(sessionId: string): Promise<boolean> {
    return this.#writer.run(1, ({ sessions }) => sessions.remove(sessionId));
  }

  async append(
    sessionId: string,
    expectedSeq: number,
    entries: readonly EventEntry[],
  ): Promise<readonly StoredEvent[]> {
    const prepared = entries.map((entry) => prepare(entry, this.#rawMaxBytes));
    const stored = await this.#writer.run(Math.max(1, entries.length), (tables) =>
      appendEvents(tables, { sessionId, expectedSeq, prepared, now: this.#now() }),
    );
    this.#listeners.publish(sessionId, stored);
    return stored;
  }

  async read(sessionId: string, { afterSeq = 0, limit = 1_000 }: ReadOptions = {}): Promise<readonly StoredEvent[]> {
    return this.#read(({ events }) => events.read(sessionId, afterSeq, limit));
  }

  subscribe(sessionId: string, listener: CommitListener): () => void {
    return this.#listeners.add(sessionId, listener);
  }

  async runningTurns(): Promise<readonly RunningTurn[]> {
    return this.#read(({ turns }) => turns.running());
  }

  async usageTotals(query: UsageQuery): Promise<readonly UsageTotal[]> {
    return this.#read(({ turns }) => turns.totals(query));
  }

  prune({ olderThanMs, keep }: PruneOptions): Promise<readonly string[]> {
    return this.#writer.run(1, ({ sessions }) => {
      const ids = sessions.prunable(this.#now() - olderThanMs, keep);
      for (const id of ids) sessions.remove(id);
      return ids;
    });
  }

  async close(): Promise<void> {
    this.#writer.flush();
    try {
      this.#connection.close();
    } catch (reason) {
      throw toStorageError(reason);
    } finally {
      this.#lock.release();
    }
  }

  #read<Result>(work: (tables: LogTables) => Result): Result {
    return this.#connection.use(({ tables }) => work(tables));
  }
}

function prepare({ turnId, event, at, ...rest }: EventEntry, rawMaxBytes: number): PreparedEvent {
  const stored = { turnId, event, ...cutRaw(rest, rawMaxBytes) };
  return { stored: at === undefined ? stored : { ...stored, at }, data: JSON.stringify(event) };
}
