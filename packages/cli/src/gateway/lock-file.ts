import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writePrivateFile } from "./write-private-file.ts";

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
