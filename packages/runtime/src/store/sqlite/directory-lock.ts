import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CaretError } from "@caret/protocol";
import { makePrivateFile } from "./private-files.ts";
import { isBusy, toStorageError } from "./storage-error.ts";

export interface DirectoryLock {
  release(): void;
}

/**
 * One gateway per data directory. The lock is SQLite's write lock on a file of its own: the kernel drops it when
 * its process dies, however it dies, so there is no stale lock to judge by a pid that may belong to a stranger by
 * now. The row inside only names the owner; readers can see it while the lock is held. Gateways must try one after the
 * other: one that reads the name gets in the way of one that is signing.
 */
export function lockDirectory(directory: string, { pid, now }: { pid: number; now: () => number }): DirectoryLock {
  const path = join(directory, "caret.lock");
  makePrivateFile(path);
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("begin immediate");
    database.exec("create table if not exists owner (pid integer not null, since integer not null) strict");
    database.exec("delete from owner");
    database.prepare("insert into owner (pid, since) values (?, ?)").run(pid, now());
    database.exec("commit; begin immediate");
    return { release: () => database.isOpen && database.close() };
  } catch (reason) {
    const error = isBusy(reason) ? refusal(ownerOf(database), reason) : toStorageError(reason);
    database.close();
    throw error;
  }
}

function refusal(owner: string, cause: unknown): CaretError {
  return new CaretError("storage-locked", `Another gateway ${owner} uses this data directory`, { cause });
}

function ownerOf(database: DatabaseSync): string {
  try {
    const owner = database.prepare("select pid, since from owner").get();
    if (owner !== undefined) return `(pid ${owner["pid"]}, since ${new Date(Number(owner["since"])).toISOString()})`;
  } catch {
    // The other one has only just begun and has not signed yet: the lock is held all the same.
  }
  return "(pid unknown)";
}
