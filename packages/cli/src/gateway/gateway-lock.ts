import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "@caret/runtime";
import { z } from "zod";

const lockSchema = z.object({
  url: z.url({ protocol: /^https?$/ }),
  pid: z.number().int().positive(),
  /** Distinguishes the process from a later one with the same pid; null if the system does not provide it. */
  startTime: z.string().nullable(),
  version: z.string(),
  /** The file with a token, for clients of the same user. */
  tokenFile: z.string().nullable(),
  /** Its Unix socket, for commands of the same user; null if it has none. Absent in locks of older gateways. */
  socket: z.string().nullable().default(null),
  /** The settings it was started with: JSON by setting name, without secrets. Absent in locks of older gateways. */
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

/** Undefined if there is no lock, or if its file is not owned by the user or is writable by others. */
export function readLockFile(dataDir: string, uid: number | undefined): GatewayLock | undefined {
  const file = lockFilePath(dataDir);
  try {
    const stat = statSync(file);
    const isPrivate = uid === undefined || (stat.uid === uid && (stat.mode & 0o022) === 0);
    return isPrivate ? lockSchema.parse(JSON.parse(readFileSync(file, "utf8"))) : undefined;
  } catch {
    return undefined; // missing or in an older format: not a gateway we can reach
  }
}

/** Removes this gateway's lock file, never its successor's. */
export function removeLockFile(dataDir: string, uid: number | undefined, pid: number): void {
  if (readLockFile(dataDir, uid)?.pid === pid) rmSync(lockFilePath(dataDir), { force: true });
}
