import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { CaretError } from "@caret/protocol";
import { makePrivateFile } from "../../paths/private-files.ts";
import { backUpLog } from "./back-up-log.ts";
import { LONGEST_JOURNAL_PAGES } from "./checkpoints.ts";
import type { OtherOpeners } from "./log-openers.ts";
import { migrations as ours } from "./migrations/migrations.ts";
import { inTransaction, type OpenDatabaseOptions, openDatabase, setAside } from "./open-database.ts";
import { BLOCK_MS } from "./retry-while-held.ts";
import { corruption, isCorruption } from "./storage-error.ts";

interface OpenLogOptions extends OpenDatabaseOptions {
  readonly others: OtherOpeners;
  readonly now: () => number;
}

/**
 * Opens the log at start-up, while no other process does. If its process died with it open, it is checked first; if it is unreadable it is
 * put aside, unless others have it open: their next append would go to a file that is never read again.
 */
export function openLog(path: string, { others, now, ...options }: OpenLogOptions): DatabaseSync {
  makePrivateFile(path);
  try {
    return withDatabase(path, options, (database) => {
      if (others.someDied) assertSound(database);
      migrate(database, ours, (version) => {
        if (others.someAlive) throw outdatedInUse(version);
        backUpLog(database, path, version);
      });
      // Until the log is open nothing else runs, so blocking was fine. From here on it would stall a loop with streams.
      database.exec(`pragma busy_timeout = ${BLOCK_MS}`);
    });
  } catch (reason) {
    if (!isCorruption(reason)) throw reason;
    throw others.someAlive ? corruptInUse(reason) : putAside(setAside(path, now), reason);
  }
}

/**
 * Reopens the log after the disk failed under a connection. The checkpoint copies the whole journal to the database file and syncs that:
 * after a failed sync the kernel may wrongly believe that the journal's pages are on disk. Puts nothing aside: a running process must not
 * continue with an empty log.
 */
export function reopenLog(path: string, options: OpenDatabaseOptions = {}): DatabaseSync {
  if (statSync(path, { throwIfNoEntry: false }) === undefined)
    throw new CaretError("storage-failed", "The event log is gone from the data directory");
  return withDatabase(path, { ...options, busyTimeoutMs: BLOCK_MS }, (database) => {
    const checkpoint = database.prepare("pragma wal_checkpoint(truncate)").get();
    if (checkpoint?.["busy"] !== 0)
      throw new CaretError("overloaded", "Other processes use the event log, so it could not be made sure of yet");
    assertSound(database);
  });
}

/** Throws although a new log could be created now: an empty one must never appear silently. */
function putAside(name: string, cause: unknown): CaretError {
  return new CaretError("storage-failed", `The event log is corrupt; it was kept as ${name}`, {
    cause,
    fix: "Start Caret again for a new log. `sqlite3 FILE .recover` may still read the old one.",
  });
}

function corruptInUse(cause: unknown): CaretError {
  return new CaretError("storage-failed", "The event log is corrupt, and other Caret processes have it open", {
    cause,
    fix: "Stop every Caret that uses this data directory, then start one: it will put the log aside.",
  });
}

/** An older Caret would keep writing with its own schema. */
function outdatedInUse(version: number): CaretError {
  return new CaretError(
    "storage-locked",
    `The event log has schema version ${version} and must be migrated to ${ours.length}, but other Caret processes have it open`,
    { fix: "Stop them first: a gateway lets its turns end when it gets Ctrl-C. Then start this one." },
  );
}

function withDatabase(
  path: string,
  options: OpenDatabaseOptions,
  prepare: (database: DatabaseSync) => void,
): DatabaseSync {
  const database = openDatabase(path, options);
  try {
    database.exec(`pragma wal_autocheckpoint = ${LONGEST_JOURNAL_PAGES}`);
    prepare(database);
    return database;
  } catch (reason) {
    database.close();
    throw reason;
  }
}

/** Throws SQLite's own error for a damaged file, so damage is recognised in one way. */
function assertSound(database: DatabaseSync): void {
  const found = database.prepare("pragma quick_check(1)").get()?.["quick_check"];
  if (found !== "ok") throw corruption(String(found));
}

/**
 * Migrates the schema. Refuses one written by a newer Caret, before touching it. Only one process may run this at a time. `prepare` is
 * called before an existing log is changed; if it throws, the log stays as it was.
 */
export function migrate(
  database: DatabaseSync,
  migrations: readonly string[] = ours,
  prepare: (version: number) => void = () => undefined,
): void {
  database.exec("create table if not exists schema_migration (number integer not null primary key) strict");
  const row = database.prepare("select coalesce(max(number), 0) as version from schema_migration").get();
  const version = Number(row?.["version"]);
  if (version > migrations.length)
    throw new CaretError(
      "storage-failed",
      `The event log has schema version ${version}; this Caret knows versions up to ${migrations.length}`,
      { fix: "Update Caret, or choose another data directory." },
    );
  if (version > 0 && version < migrations.length) prepare(version);
  for (const sql of migrations.slice(version)) inTransaction(database, () => database.exec(sql));
}
