import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { CaretError } from "@caret/protocol";
import { assertSound, markOpened, wasClosedCleanly } from "./log-health.ts";
import { migrate } from "./migrate.ts";
import { openDatabase } from "./open-database.ts";
import { makePrivateFile } from "./private-files.ts";
import { quarantine } from "./quarantine.ts";
import { isCorruption } from "./storage-error.ts";

/** Open the log at start-up. One that was not closed is checked first; one that cannot be read is put aside. */
export function openLog(path: string, { now }: { now: () => number }): DatabaseSync {
  makePrivateFile(path);
  try {
    return withDatabase(path, (database) => {
      if (!wasClosedCleanly(database)) assertSound(database);
      migrate(database);
      markOpened(database);
    });
  } catch (reason) {
    if (isCorruption(reason)) throw quarantine(path, { now, cause: reason });
    throw reason;
  }
}

/**
 * Open the log again after the disk failed under a connection. The checkpoint copies everything the journal holds to
 * the database file and syncs that: after a failed sync the kernel may believe the journal's pages are on disk when
 * they are not. Puts nothing aside: a running gateway must not go on with an empty log.
 */
export function reopenLog(path: string): DatabaseSync {
  if (statSync(path, { throwIfNoEntry: false }) === undefined)
    throw new CaretError("storage-failed", "The event log is gone from the data directory");
  return withDatabase(path, (database) => {
    database.exec("pragma wal_checkpoint(truncate)");
    assertSound(database);
  });
}

function withDatabase(path: string, prepare: (database: DatabaseSync) => void): DatabaseSync {
  const database = openDatabase(path);
  try {
    prepare(database);
    return database;
  } catch (reason) {
    database.close();
    throw reason;
  }
}
