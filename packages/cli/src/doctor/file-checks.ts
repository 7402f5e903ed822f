import { chmodSync, existsSync, readdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { CaretError, formatTokens } from "@caret/protocol";
import type { Config } from "../config/config-schema.ts";
import { openLog } from "../engine/compose.ts";
import { readAllowedDirectories } from "../workspaces/allowed-directories.ts";
import type { Finding } from "./finding.ts";

/** Secret files of the data directory, and directories of such files. */
const secretFiles = ["tokens.json", "token", "credentials.json", "gateway.json"] as const;
const secretDirectories = ["client-tokens", "receipts"] as const;
const MEGABYTE = 1024 * 1024;
const LOW_DISK_BYTES = 500 * MEGABYTE;

/** Windows has no such permissions. */
export function checkPrivateFiles(dataDir: string, uid: number | undefined): readonly Finding[] {
  const check = "private files";
  const inside = secretDirectories.flatMap((name) => filesIn(join(dataDir, name)));
  const open = [...secretFiles.map((name) => join(dataDir, name)), ...inside].filter(
    (file) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0,
  );
  if (uid === undefined || open.length === 0) return [];
  return [
    {
      check,
      state: "fail",
      detail: `other users may open ${open.join(", ")}`,
      fix: `chmod 600 ${open.join(" ")}`,
      mend: () => {
        for (const file of open) chmodSync(file, 0o600);
      },
    },
  ];
}

function filesIn(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).map((name) => join(directory, name));
}

/** A directory allowed by `caret workspaces allow` may be gone; a new one of that name would be allowed too. */
export function checkWorkspaces(dataDir: string): readonly Finding[] {
  const check = "workspaces";
  try {
    const gone = readAllowedDirectories(dataDir).filter((directory) => !existsSync(directory));
    return gone.map((directory) => ({
      check,
      state: "warn",
      detail: `turns may work in ${directory}, which is gone`,
      fix: `caret workspaces forget ${directory}`,
    }));
  } catch (reason) {
    const { message, fix } = CaretError.from(reason);
    return [{ check, state: "fail", detail: message, fix }];
  }
}

/** `free` is measured on the data directory's file system. */
export function checkDisk(dataDir: string, free = freeBytes(dataDir)): readonly Finding[] {
  if (free === undefined || free >= LOW_DISK_BYTES) return [];
  const left = `${formatTokens(Math.floor(free / MEGABYTE))} MB are free`;
  return [
    {
      check: "disk",
      state: free < LOW_DISK_BYTES / 10 ? "fail" : "warn",
      detail: `${left} for ${dataDir}`,
      fix: "caret sessions prune --older-than 30d",
    },
  ];
}

function freeBytes(dataDir: string): number | undefined {
  if (statSync(dataDir, { throwIfNoEntry: false }) === undefined) return undefined;
  const { bavail, bsize } = statfsSync(dataDir);
  return bavail * bsize;
}

/** Empty if the log opens and can be read. */
export async function checkEventLog(config: Config): Promise<readonly Finding[]> {
  try {
    const log = openLog(config);
    try {
      await log.listSessions({ limit: 1 });
    } finally {
      await log.close();
    }
    return [];
  } catch (reason) {
    const { message, fix } = CaretError.from(reason);
    return [{ check: "event log", state: "fail", detail: message, fix }];
  }
}
