import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { isOldOwnerAlive } from "../process-owner.ts";
import { makePrivateDirectory, makePrivateFile } from "./private-files.ts";
import { isBusy, isCorruption } from "./storage-error.ts";

const DIRECTORY = "owners";
const OWNER = /^\d+@([\w-]{1,64})$/u;

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
export function isAnyOwnerAlive(directory: string): boolean {
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
