import { readdirSync, readlinkSync } from "node:fs";
import { readProc } from "./process-tree.ts";

const LISTENING = "0A";

/** The process of this user that listens on a port of this machine; undefined when there is none to be seen. */
export function findListener(port: number): number | undefined {
  const inodes = new Set(["net/tcp", "net/tcp6"].flatMap((table) => listeningInodes(readProc(table), port)));
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.find((pid) => socketsOf(pid).some((inode) => inodes.has(inode)));
}

function listeningInodes(table: string, port: number): readonly string[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return table
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === LISTENING && local?.endsWith(wanted) === true)
    .flatMap((fields) => fields[9] ?? []);
}

function socketsOf(pid: number): readonly string[] {
  try {
    const links = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
    return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
  } catch {
    return []; // gone meanwhile, or another user's
  }
}
