import { readdirSync, readlinkSync } from "node:fs";
import { setImmediate as nextLoop } from "node:timers/promises";
import { identifyProcess, type ProcessIdentity, readProcFile } from "./process-identity.ts";

/** Searching the open files of all processes takes a while: yield in between. */
const PROCESSES_AT_ONCE = 16;

/**
 * The link names of sockets among their processes' open files. `ends` is a pattern over a line of the kernel's tables: the local port, the
 * remote end and the state. Empty without /proc.
 */
export function socketLinks(ends: string): readonly string[] {
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readProcFile(path) ?? "");
  const lines = tables.join("\n").match(new RegExp(`^.*${ends}.*$`, "gm")) ?? [];
  const inodes = lines.map((line) => line.trim().split(/\s+/)[9]);
  return inodes.filter((inode) => inode !== undefined && inode !== "0").map((inode) => `socket:[${inode}]`);
}

export function toHexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}

/** The processes that have these sockets open, as far as this user may look. */
export async function socketOwners(links: ReadonlySet<string>): Promise<ReadonlyMap<string, ProcessIdentity>> {
  const owners = new Map<string, ProcessIdentity>();
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  for (const [index, pid] of pids.entries()) {
    for (const link of openFiles(pid)) if (links.has(link)) owners.set(link, identifyProcess(pid));
    if (owners.size === links.size) break;
    if (index % PROCESSES_AT_ONCE === 0) await nextLoop();
  }
  return owners;
}

function openFiles(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((file) => linkOf(`/proc/${pid}/fd/${file}`));
  } catch {
    return []; // gone in the meantime, or another user's
  }
}

function linkOf(path: string): readonly string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return []; // closed in the meantime
  }
}
