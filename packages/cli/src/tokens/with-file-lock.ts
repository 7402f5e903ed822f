import { rmSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";

/** A lock this old belongs to a process that died: the work under it takes milliseconds. */
const STALE_MS = 10_000;
const RETRY_MS = 20;

/** Run `work` under an advisory lock (`<file>.lock`). Everything that changes the file must take it. */
export async function withFileLock<Result>(file: string, work: () => Result): Promise<Result> {
  const lock = `${file}.lock`;
  const giveUpAt = Date.now() + STALE_MS;
  while (!tryLock(lock)) {
    if (Date.now() > giveUpAt)
      throw new CaretError("storage-failed", `${file} is locked`, { fix: `Remove ${lock} if no caret command runs.` });
    await sleep(RETRY_MS);
  }
  try {
    return work();
  } finally {
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
