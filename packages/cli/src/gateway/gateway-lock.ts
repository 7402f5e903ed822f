import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "@caret/runtime";
import { z } from "zod";

const lockSchema = z.object({
  url: z.url({ protocol: /^https?$/ }),
  pid: z.number().int().positive(),
  /** Distinguishes the process from a later one with the same pid; null where the system does not provide it. */
  startTime: z.string().nullable(),
  version: z.string(),
  /** The file with a token, for clients of the same user. */
  tokenFile: z.string().nullable(),
  /** Its Unix socket, for commands of the same user; null where there is none. Older gateways do not write it. */
  socket: z.string().nullable().default(null),
  /** What it was started with: JSON by setting name, without secrets. Older gateways do not write it. */
  settings: z.record(z.string(), z.string()).default({}),
});

/** A running gateway, as it announces itself to other programs of the same user. */
export type GatewayLock = Readonly<z.infer<typeof lockSchema>>;

export function lockFilePath(dataDir: string): string {
  return join(dataDir, "gateway.json");
}

export function writeLockFile(dataDir: string, lock: GatewayLock): void {
  writePrivateFile(lockFilePath(dataDir), `${JSON.stringify(lock, undefined, 2)}\n`);
}

/** Undefined when there is none, or when the file is not owned by the user or is writable by others. */
export function readLockFile(dataDir: string, uid: number | undefined): GatewayLock | undefined {
  const file = lockFilePath(dataDir);
  try {
    const stat = statSync(file);
    const isPrivate = uid === undefined || (stat.uid === uid && (stat.mode & 0o022) === 0);
    return isPrivate ? lockSchema.parse(JSON.parse(readFileSync(file, "utf8"))) : undefined;
  } catch {
    return undefined; // missing or of an older format: no gateway that we know how to reach
  }
}

/** Removes the lock file of this gateway, never that of its successor. */
export function removeLockFile(dataDir: string, uid: number | undefined, pid: number): void {
  if (readLockFile(dataDir, uid)?.pid === pid) rmSync(lockFilePath(dataDir), { force: true });
}
