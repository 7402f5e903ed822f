import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

/** A process as `/proc` shows it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** The program it runs; empty for one of another user. */
  readonly program: string;
}

/** The process and all that came from it and still live, itself first. */
export function processTree(root: number): readonly ProcessEntry[] {
  const all = allProcesses();
  const tree = all.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
}

/**
 * The server and its helpers, without agents: those are the same program behind every server, and what holds them
 * together (bubblewrap) counts with them.
 */
export function serverPids(root: number, agent: string): readonly number[] {
  const left = new Set<number>();
  const kept: number[] = [];
  for (const { pid, parent, program } of processTree(root)) {
    const isAgent = program === agent || basename(program) === "bwrap" || left.has(parent);
    if (isAgent) left.add(pid);
    else kept.push(pid);
  }
  return kept;
}

/** How many processes run this very program. */
export function countRunning(program: string): number {
  return allProcesses().filter((each) => each.program === program).length;
}

function allProcesses(): ProcessEntry[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.flatMap((pid) => {
    const stat = readProc(`${pid}/stat`);
    return stat === "" ? [] : [{ pid, parent: Number(statFields(stat)[1]), program: programOf(pid) }];
  });
}

/** A file below `/proc`; empty when its process has ended. */
export function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, "latin1");
  } catch {
    return ""; // processes and threads end at any moment, and then cost nothing more
  }
}

/** The names in a directory below `/proc`; none when its process has ended. */
export function listProc(path: string): readonly string[] {
  try {
    return readdirSync(`/proc/${path}`);
  } catch {
    return []; // as above
  }
}

function programOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return ""; // gone meanwhile, or another user's
  }
}

/** From the third field on, the state: the name before it, in parentheses, may itself hold spaces. */
export function statFields(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(") ") + 2).split(" ");
}
