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

/** Long enough for another process that checks a large log as it opens it. */
const ENTER_TIMEOUT_MS = 30_000;
/** A process that leaves does not wait long: a name that stays on the list costs the next opener a check. */
const LEAVE_TIMEOUT_MS = 500;

export interface OtherOpeners {
  /** Others have the log open now: it must stay where it is. */
  readonly someAlive: boolean;
  /** Others had the log open and died without closing it: it has to be checked. */
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
  /** Run `open`, and sign in under the name that it gives. Nobody else opens the log at the same time. */
  enter<Result extends Opened>(open: (others: OtherOpeners) => Result): Result;
  /** Sign out. A process that dies without it leaves a name behind, which the next to enter finds. */
  leave(): void;
}

/**
 * A file of its own and not a table of the log, because it has to answer when the log cannot be read: a damaged log may
 * only be put aside when nobody has it open. Its write lock also lets processes open the log one after the other, and
 * that is what makes it safe to create and to migrate. It must not be in WAL mode: switching to that is itself a race.
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
        // The list is made again. Their locks say who was on it, but not who of them died, so the log is checked.
        setAside(path, now);
        return signIn(open, { someAlive: isAnyOwnerAlive(directory), someDied: true });
      }
    },

    leave() {
      if (own === undefined) return;
      const { id, owner } = own;
      own = undefined;
      // By name, too: a list that was made again counts from one.
      change(LEAVE_TIMEOUT_MS, (database) =>
        database.prepare("delete from opener where id = ? and owner = ?").run(id, owner),
      );
    },
  };
}

/** What makes one process the owner of its turns, for as long as it lives. */
export interface OwnerLock {
  /** What a turn, and the list of those who have the log open, carry as their owner. The number in front is for people. */
  readonly owner: string;
  release(): void;
}

/**
 * A lock on a file of its own, taken through SQLite. The kernel drops it when the process dies, however it dies, and
 * shows it to every process that sees the file: also to one in another PID namespace (a container with the same home
 * directory), where process numbers and `/proc` say nothing about this one.
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

/** Is the process that this word stands for still running? A word that is none of ours stands for nobody. */
export function isOwnerAlive(directory: string, owner: string): boolean {
  const name = OWNER.exec(owner)?.[1];
  return name === undefined ? isOldOwnerAlive(owner) : isLocked(join(directory, DIRECTORY, name));
}

/** Whether any process has the data directory open. */
function isAnyOwnerAlive(directory: string): boolean {
  return lockFiles(directory).some(isLocked);
}

/** Removes the files of processes that died. Nobody may lock a new one meanwhile. */
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
    // Removed by its owner, which has left in peace, or written over: no owner ever writes into it. Whatever else keeps
    // us from looking says nothing, and ending the turn of a living process does more harm than leaving one open.
    return existsSync(path) && !isCorruption(reason);
  }
}

function tryLock(path: string): DatabaseSync | "taken" {
  const url = pathToFileURL(path);
  // A file that is gone must not be made again.
  url.searchParams.set("mode", "rw");
  const database = new DatabaseSync(url, { timeout: 0 });
  try {
    // Nothing is ever written, so that there is no journal to leave behind.
    database.exec("pragma journal_mode = memory; begin immediate");
    return database;
  } catch (reason) {
    database.close();
    if (isBusy(reason)) return "taken";
    throw reason;
  }
}
