import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";

/** The process that holds a lock renews it more often than this: an older one belongs to a process that died. */
const STALE_MS = 10_000;
const RENEW_MS = 2_000;
const RETRY_MS = 20;

interface FileLockOptions {
  /** How long to wait for the lock. Longer than the work of other processes may take. */
  readonly patienceMs?: number;
}

/** Run `work` under an advisory lock (`<file>.lock`), between processes too. Everything that changes the file must take it. */
export async function withFileLock<Result>(
  file: string,
  work: () => Result | Promise<Result>,
  { patienceMs = STALE_MS }: FileLockOptions = {},
): Promise<Result> {
  const lock = `${file}.lock`;
  const owner = `${process.pid} ${randomUUID()}`;
  const giveUpAt = Date.now() + patienceMs;
  while (!tryLock(lock, owner)) {
    if (Date.now() > giveUpAt)
      throw new CaretError("storage-failed", `${file} is locked`, { fix: `Remove ${lock} if no caret command runs.` });
    await sleep(RETRY_MS);
  }
  const renewal = setInterval(() => renew(lock, owner), RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    // While this process was suspended another one may have taken it over.
    if (ownerOf(lock) === owner) rmSync(lock, { force: true });
  }
}

function tryLock(lock: string, owner: string): boolean {
  try {
    writeFileSync(lock, owner, { mode: 0o600, flag: "wx" });
    return true;
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code !== "EEXIST") throw reason;
    if (isStale(lock)) takeAway(lock);
    return false;
  }
}

function isStale(lock: string): boolean {
  const lockedAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  return lockedAt !== undefined && Date.now() - lockedAt > STALE_MS;
}

/** Others may find the same stale lock: one that is moved away and turns out to be new goes back. */
function takeAway(lock: string): void {
  const moved = `${lock}.${randomUUID()}`;
  try {
    renameSync(lock, moved);
    if (!isStale(moved)) linkSync(moved, lock);
  } catch (reason) {
    const { code } = reason as NodeJS.ErrnoException;
    // Another process has taken it away, or holds it by now.
    if (code !== "ENOENT" && code !== "EEXIST") throw reason;
  } finally {
    rmSync(moved, { force: true });
  }
}

function ownerOf(lock: string): string | undefined {
  try {
    return readFileSync(lock, "utf8");
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw reason;
  }
}

function renew(lock: string, owner: string): void {
  const now = new Date();
  try {
    if (ownerOf(lock) === owner) utimesSync(lock, now, now);
  } catch {
    // The lock was removed from outside: the work goes on, and another process may begin its own.
  }
}
