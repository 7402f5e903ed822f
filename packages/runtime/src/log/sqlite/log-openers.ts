import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { makePrivateDirectory, makePrivateFile } from "../../paths/private-files.ts";
import { isOldOwnerAlive } from "../process-owner.ts";
import { inTransaction, setAside } from "./open-database.ts";
import { isBusy, isCorruption, isUnusable } from "./storage-error.ts";

const DIRECTORY = "owners";

const OWNER = /^\d+@([\w-]{1,64})$/u;

export const OPENERS_FILE = "caret.open";

/** Long enough for another process to check a large log while opening it. */
const ENTER_TIMEOUT_MS = 30_000;
/** Leaving waits only briefly: a name left on the list just costs the next opener a check. */
const LEAVE_TIMEOUT_MS = 500;

export interface OtherOpeners {
  /** Others have the log open now: it must not be moved. */
  readonly someAlive: boolean;
  /** Others died with the log open: it must be checked. */
  readonly someDied: boolean;
}

interface LogOpenersOptions {
  readonly directory: string;
  readonly isAlive: (owner: string) => boolean;
  readonly now: () => number;
}

interface Opened {
  readonly owner: string;
}

/** The processes that have the log open. */
export interface LogOpeners {
  /** Runs `open` and registers under the name it returns. No other process opens the log at the same time. */
  enter<Result extends Opened>(open: (others: OtherOpeners) => Result): Result;
  /** Unregisters. A process that dies before leaves its name behind, which the next to enter finds. */
  leave(): void;
}

/**
 * A separate file rather than a table of the log, because it must work when the log cannot be read: a damaged log may be put aside only if
 * no process has it open. Its write lock also serialises opening the log, which makes creating and migrating it safe. It must not be in
 * WAL mode: switching to WAL is itself a race.
 */
export function createLogOpeners({ directory, isAlive, now }: LogOpenersOptions): LogOpeners {
  const path = join(directory, OPENERS_FILE);
  let own: { readonly id: number | bigint; readonly owner: string } | undefined;

  function change<Result>(timeout: number, work: (database: DatabaseSync) => Result): Result {
    makePrivateFile(path);
    const database = new DatabaseSync(path, { timeout });
    try {
      return inTransaction(database, () => work(database));
    } finally {
      database.close();
    }
  }

  function signIn<Result extends Opened>(open: (others: OtherOpeners) => Result, unlisted: OtherOpeners): Result {
    return change(ENTER_TIMEOUT_MS, (database) => {
      database.exec("create table if not exists opener (id integer not null primary key, owner text not null) strict");
      const rows = database.prepare("select id, owner from opener").all();
      const dead = rows.filter((row) => !isAlive(String(row["owner"])));
      const result = open({
        someAlive: unlisted.someAlive || dead.length < rows.length,
        someDied: unlisted.someDied || dead.length > 0,
      });
      const strike = database.prepare("delete from opener where id = ?");
      for (const row of dead) strike.run(Number(row["id"]));
      const { lastInsertRowid: id } = database.prepare("insert into opener (owner) values (?)").run(result.owner);
      own = { id, owner: result.owner };
      return result;
    });
  }

  return {
    enter(open) {
      try {
        return signIn(open, { someAlive: false, someDied: false });
      } catch (reason) {
        if (!isUnusable(reason)) throw reason;
        // Recreate the list. The owners' locks show who is alive but not who died, so the log is checked.
        setAside(path, now);
        return signIn(open, { someAlive: isAnyOwnerAlive(directory), someDied: true });
      }
    },

    leave() {
      if (own === undefined) return;
      const { id, owner } = own;
      own = undefined;
      // Also match the name: ids restart at one in a recreated list.
      change(LEAVE_TIMEOUT_MS, (database) =>
        database.prepare("delete from opener where id = ? and owner = ?").run(id, owner),
      );
    },
  };
}

/** Proves that a process owns its turns, for as long as it lives. */
export interface OwnerLock {
  /** The owner recorded on turns and in the list of openers. The leading number is for people. */
  readonly owner: string;
  release(): void;
}

/**
 * A lock on a separate file, taken through SQLite. The kernel drops it whenever the process dies and shows it to every process that sees
 * the file: even one in another PID namespace (a container with the same home directory), where pids and `/proc` say nothing about this
 * process.
 */
export function lockOwner(directory: string, pid: number): OwnerLock {
  makePrivateDirectory(join(directory, DIRECTORY));
  const name = randomUUID();
  const path = join(directory, DIRECTORY, name);
  makePrivateFile(path);
  const database = tryLock(path);
  if (database === "taken") throw new Error(`${path} is locked although it is new`);
  return {
    owner: `${pid}@${name}`,
    release() {
      if (!database.isOpen) return;
      database.close();
      rmSync(path, { force: true });
    },
  };
}

/** Whether the process behind this word still runs. A word we did not write stands for no process. */
export function isOwnerAlive(directory: string, owner: string): boolean {
  const name = OWNER.exec(owner)?.[1];
  return name === undefined ? isOldOwnerAlive(owner) : isLocked(join(directory, DIRECTORY, name));
}

/** Whether any process has the data directory open. */
function isAnyOwnerAlive(directory: string): boolean {
  return lockFiles(directory).some(isLocked);
}

/** Removes the lock files of dead processes. No new owner may lock a file at the same time. */
export function sweepOwnerLocks(directory: string): void {
  for (const path of lockFiles(directory)) if (!isLocked(path)) rmSync(path, { force: true });
}

function lockFiles(directory: string): readonly string[] {
  const parent = join(directory, DIRECTORY);
  try {
    return readdirSync(parent).map((name) => join(parent, name));
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw reason;
  }
}

function isLocked(path: string): boolean {
  try {
    const database = tryLock(path);
    if (database === "taken") return true;
    database.close();
    return false;
  } catch (reason) {
    // Either its owner removed it and left properly, or something overwrote it: owners never write into it. Any other obstacle tells
    // nothing, and ending the turn of a living process does more harm than leaving one open.
    return existsSync(path) && !isCorruption(reason);
  }
}

function tryLock(path: string): DatabaseSync | "taken" {
  const url = pathToFileURL(path);
  // Do not recreate a file that is gone.
  url.searchParams.set("mode", "rw");
  const database = new DatabaseSync(url, { timeout: 0 });
  try {
    // Nothing is ever written, so there is no journal to leave behind.
    database.exec("pragma journal_mode = memory; begin immediate");
    return database;
  } catch (reason) {
    database.close();
    if (isBusy(reason)) return "taken";
    throw reason;
  }
}
