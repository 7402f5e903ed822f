import type { DatabaseSync } from "node:sqlite";
import { CaretError } from "@caret/protocol";
import { createLogTables, type LogTables } from "./log-tables.ts";
import { isHeldByOthers } from "./retry-while-held.ts";
import { breaksConnection, toStorageError } from "./storage-error.ts";

export interface OpenLog {
  readonly database: DatabaseSync;
  readonly tables: LogTables;
  /** Changes whenever another connection has committed. */
  readonly foreignVersion: () => number;
  /** Number of journal pages not yet in the database file. */
  readonly journalPages: () => number;
}

export interface LogConnection {
  /** Runs `work` on a sound connection. Throws only CaretErrors. */
  use<Result>(work: (log: OpenLog) => Result): Result;
  /**
   * Reports that syncing what was committed on `failed` failed on disk. Returns the reason. A connection opened since is sound: opening it
   * secured everything in the journal.
   */
  distrust(failed: OpenLog, reason: unknown): CaretError;
  /** Returns whether it was sound to the end. */
  close(): boolean;
}

export interface LogConnectionOptions {
  readonly open: () => DatabaseSync;
  /** Reopens after making sure that the file is sound and on disk. */
  readonly reopen: () => DatabaseSync;
  /** Called when the connection is dropped. */
  readonly onDrop?: () => void;
  readonly monotonicMs?: () => number;
  /** Minimum time between two attempts to reopen a broken log: checking a large file takes a while. */
  readonly retryMs?: number;
}

/**
 * One connection, in one of three states.
 *
 * - sound: entered by opening and by a successful reopening.
 * - broken: entered when the disk failed under it. The old connection is dropped at once, because after a failed sync neither SQLite nor
 *   the kernel can be trusted; each use then tries to reopen, at most once per `retryMs` unless others held the file.
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
      // A file held by others was not checked yet, and callers waiting for it retry soon.
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
  // "noop" copies nothing: it only reports the length of the journal and how much of it is copied.
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
    // Closing syncs, and the disk is what failed. The original reason is reported instead.
  }
}
