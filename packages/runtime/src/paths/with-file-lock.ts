import { rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
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
  const giveUpAt = Date.now() + patienceMs;
  while (!tryLock(lock)) {
    if (Date.now() > giveUpAt)
      throw new CaretError("storage-failed", `${file} is locked`, { fix: `Remove ${lock} if no caret command runs.` });
    await sleep(RETRY_MS);
  }
  const renewal = setInterval(() => renew(lock), RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    rmSync(lock, { force: true });
  }
}

function tryLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { mode: 0o600, flag: "wx" });
    return true;
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code !== "EEXIST") throw reason;
    const lockedAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (lockedAt !== undefined && Date.now() - lockedAt > STALE_MS) rmSync(lock, { force: true });
    return false;
  }
}

function renew(lock: string): void {
  const now = new Date();
  try {
    utimesSync(lock, now, now);
  } catch {
    // The lock was removed from outside: the work goes on, and another process may begin its own.
  }
}
