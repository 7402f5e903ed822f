import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";
import { z } from "zod";
import { writePrivateFile } from "./token-file.ts";

const lockSchema = z.object({
  url: z.url({ protocol: /^https?$/ }),
  pid: z.number().int().positive(),
  /** Tells the process from a later one of the same number; null where the system does not say. */
  startTime: z.string().nullable(),
  version: z.string(),
  /** Where a client of the same user finds a token for it. */
  tokenFile: z.string().nullable(),
  /** What it was started with, as JSON by the names of the settings; without secrets. Older gateways do not say. */
  settings: z.record(z.string(), z.string()).default({}),
});

/** A running gateway, as it tells other programs of the same user. */
export type GatewayLock = Readonly<z.infer<typeof lockSchema>>;

/** Whoever holds a lock for this long has died with it: what is done under it takes milliseconds. */
const STALE_MS = 10_000;
const RETRY_MS = 20;

/** Do something to a file while nobody else does. All who change it must do so through here. */
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

export function lockFilePath(dataDir: string): string {
  return join(dataDir, "gateway.json");
}

export function writeLockFile(dataDir: string, lock: GatewayLock): void {
  writePrivateFile(lockFilePath(dataDir), `${JSON.stringify(lock, undefined, 2)}\n`);
}

/** Undefined when there is none, or none that can be trusted: only a file of the user's own, closed to others, is. */
export function readLockFile(dataDir: string, uid: number | undefined): GatewayLock | undefined {
  const file = lockFilePath(dataDir);
  try {
    const stat = statSync(file);
    const isPrivate = uid === undefined || (stat.uid === uid && (stat.mode & 0o022) === 0);
    return isPrivate ? lockSchema.parse(JSON.parse(readFileSync(file, "utf8"))) : undefined;
  } catch {
    return undefined; // missing or half of an older format: there is no gateway that we know how to reach
  }
}

/** A gateway that leaves takes its own lock file along, and never its successor's. */
export function removeLockFile(dataDir: string, uid: number | undefined, pid: number): void {
  if (readLockFile(dataDir, uid)?.pid === pid) rmSync(lockFilePath(dataDir), { force: true });
}
