import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CaretError } from "@caret/protocol";
import { makePrivateFile } from "../../paths/private-files.ts";
import { setAside } from "./open-database.ts";
import { isBusy, isUnusable } from "./storage-error.ts";

const LOCK_FILE = "caret.lock";

export interface DirectoryLock {
  release(): void;
}

export interface DirectoryLockOptions {
  readonly pid: number;
  readonly now: () => number;
  /** No other process uses the directory, so an unusable file can be replaced. */
  readonly isAlone: boolean;
}

/**
 * One gateway per data directory. The lock is SQLite's write lock on a separate file: the kernel drops it whenever its process dies, so
 * there is no stale lock to judge by a pid that an unrelated process may have by now. The row inside only names the owner; it is readable
 * while the lock is held. Gateways must try one after the other: reading the name interferes with another gateway that is writing its own.
 */
export function lockDirectory(directory: string, options: DirectoryLockOptions): DirectoryLock {
  const path = join(directory, LOCK_FILE);
  try {
    return lockFile(path, options);
  } catch (reason) {
    if (!isUnusable(reason)) throw reason;
    if (!options.isAlone) throw damaged(reason);
    setAside(path, options.now);
    return lockFile(path, options);
  }
}

function lockFile(path: string, { pid, now }: DirectoryLockOptions): DirectoryLock {
  makePrivateFile(path);
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // The lock belongs to the kernel and ends with the machine; a name spoiled by a power cut is set aside like any other.
    database.exec("pragma synchronous = off; begin immediate");
    database.exec("create table if not exists owner (pid integer not null, since integer not null) strict");
    database.exec("delete from owner");
    database.prepare("insert into owner (pid, since) values (?, ?)").run(pid, now());
    database.exec("commit; begin immediate");
    return { release: () => database.isOpen && database.close() };
  } catch (reason) {
    const error = isBusy(reason) ? refusal(ownerOf(database), reason) : reason;
    database.close();
    throw error;
  }
}

/** A gateway may be holding this very file. */
function damaged(cause: unknown): CaretError {
  return new CaretError("storage-failed", `${LOCK_FILE} in the data directory cannot be used`, {
    cause,
    fix: "Stop every Caret that uses this data directory, then start one: it makes the file again.",
  });
}

function refusal(owner: string, cause: unknown): CaretError {
  return new CaretError("storage-locked", `Another gateway ${owner} uses this data directory`, { cause });
}

function ownerOf(database: DatabaseSync): string {
  try {
    const owner = database.prepare("select pid, since from owner").get();
    if (owner !== undefined) return `(pid ${owner["pid"]}, since ${new Date(Number(owner["since"])).toISOString()})`;
  } catch {
    // The other gateway has just started and not yet written its name, but it holds the lock.
  }
  return "(pid unknown)";
}
