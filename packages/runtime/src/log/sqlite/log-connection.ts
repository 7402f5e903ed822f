import type { DatabaseSync } from "node:sqlite";
import { CaretError } from "@caret/protocol";
import { createLogTables, type LogTables } from "./log-tables.ts";
import { isHeldByOthers } from "./retry-while-held.ts";
import { breaksConnection, toStorageError } from "./storage-error.ts";

export interface OpenLog {
  readonly database: DatabaseSync;
  readonly tables: LogTables;
  /** Another number when another connection has committed since. */
  readonly foreignVersion: () => number;
  /** How many pages of the journal are not yet in the database file. */
  readonly journalPages: () => number;
}

export interface LogConnection {
  /** Work on a sound connection. Throws only errors of ours. */
  use<Result>(work: (log: OpenLog) => Result): Result;
  /**
   * The disk failed under what was committed on `failed`, as its sync found out. Returns the reason. A connection that was opened since is
   * sound: opening it made sure of all that is in the journal.
   */
  distrust(failed: OpenLog, reason: unknown): CaretError;
  /** Says whether it was sound to the end. */
  close(): boolean;
}

export interface LogConnectionOptions {
  readonly open: () => DatabaseSync;
  /** Open again, having made sure that the file is sound and on disk. */
  readonly reopen: () => DatabaseSync;
  /** The connection was dropped. */
  readonly onDrop?: () => void;
  readonly monotonicMs?: () => number;
  /** How long a broken log is left alone between two attempts: checking a large file takes a while. */
  readonly retryMs?: number;
}

/**
 * One connection, in one of three states.
 *
 * - sound: entered by opening and by a reopening that succeeded.
 * - broken: entered when the disk failed under it. The old connection is dropped at once, because after a failed sync
 *   neither SQLite nor the kernel can be believed; each use then tries to reopen, at most once per `retryMs` unless others held the file.
 * - closed: entered on request, never left.
 */
export function openLogConnection(options: LogConnectionOptions): LogConnection {
  const { open, reopen, onDrop = () => {}, monotonicMs = () => performance.now(), retryMs = 1_000 } = options;
  let log: OpenLog | undefined = toOpenLog(open());
  let closed = false;
  let retryAt = 0;

  function soundLog(): OpenLog {
    if (closed) throw new CaretError("storage-failed", "The event store is closed");
    if (log !== undefined) return log;
    if (monotonicMs() < retryAt)
      throw new CaretError("storage-failed", "The disk failed under the event log", { retryable: true });
    retryAt = monotonicMs() + retryMs;
    try {
      log = toOpenLog(reopen());
      return log;
    } catch (reason) {
      // A file that others hold was not checked yet, and those who wait for them try again soon.
      if (isHeldByOthers(toStorageError(reason))) retryAt = 0;
      throw reason;
    }
  }

  function drop(): void {
    dropConnection(log);
    log = undefined;
    onDrop();
  }

  return {
    use(work) {
      try {
        return work(soundLog());
      } catch (reason) {
        if (breaksConnection(reason)) drop();
        throw toStorageError(reason);
      }
    },

    distrust(failed, reason) {
      if (!closed && failed === log) drop();
      return toStorageError(reason);
    },

    close() {
      if (closed || log === undefined) {
        closed = true;
        return false;
      }
      closed = true;
      log.database.close();
      return true;
    },
  };
}

function toOpenLog(database: DatabaseSync): OpenLog {
  const version = database.prepare("pragma data_version");
  const foreignVersion = (): number => Number(version.get()?.["data_version"]);
  // "noop" copies nothing: it only says how far the journal and the copy of it are.
  const journal = database.prepare("pragma wal_checkpoint(noop)");
  const journalPages = (): number => {
    const row = journal.get();
    return Number(row?.["log"]) - Number(row?.["checkpointed"]);
  };
  return { database, tables: createLogTables(database), foreignVersion, journalPages };
}

function dropConnection(log: OpenLog | undefined): void {
  try {
    log?.database.close();
  } catch {
    // Closing syncs, and the disk is what failed. The reason that broke the connection is reported instead.
  }
}
