import { listProc, processTree, readProc, serverPids, statFields } from "./process-tree.ts";

/** The kernel counts processor time in hundredths of a second, on every Linux. */
const MS_PER_TICK = 10;
const KIB_PER_MIB = 1024;
const NS_PER_MS = 1e6;

interface CpuReading {
  /** By process: exact, but without threads that have ended. */
  readonly exactMs: ReadonlyMap<number, number>;
  /** By process: rounded down to ticks, with all threads. */
  readonly tickMs: ReadonlyMap<number, number>;
}

/**
 * Starts to count the processor time of a server and its helpers, agents left out. The result gives it in milliseconds,
 * not a number for a server that is not on this machine.
 */
export function countCpu(root: number | undefined, agent: string): () => number {
  return root === undefined ? () => Number.NaN : countCpuOf(() => serverPids(root, agent));
}

/** The same of any processes. Those that end in between are not counted. */
export function countCpuOf(list: () => readonly number[]): () => number {
  const before = readCpu(list());
  return () => {
    const after = readCpu(list());
    const exact = growth(before.exactMs, after.exactMs);
    const ticks = growth(before.tickMs, after.tickMs);
    // Rounding alone can account for a tick per process and reading. More than that was used by threads that have ended.
    return ticks - exact > 2 * MS_PER_TICK * after.tickMs.size ? ticks : exact;
  };
}

function growth(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  return [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0);
}

function readCpu(pids: readonly number[]): CpuReading {
  return {
    exactMs: new Map(pids.map((pid) => [pid, threadMs(pid)])),
    tickMs: new Map(pids.map((pid) => [pid, processMs(pid)])),
  };
}

function threadMs(pid: number): number {
  const threads = listProc(`${pid}/task`);
  const times = threads.map((thread) => readProc(`${pid}/task/${thread}/schedstat`).split(" ")[0]);
  return times.reduce((sum, ns) => sum + Number(ns), 0) / NS_PER_MS;
}

function processMs(pid: number): number {
  const fields = statFields(readProc(`${pid}/stat`));
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

export interface Memory {
  /** What `ps` adds up: pages that several processes share count in each. */
  readonly residentMegabytes: number;
  /** Pages that several processes share are divided between them. */
  readonly proportionalMegabytes: number;
}

/** Memory of a server and of everything it has started, agents included. */
export function treeMemory(root: number): Memory {
  const pids = processTree(root).map(({ pid }) => pid);
  return { residentMegabytes: sumOf(pids, "Rss"), proportionalMegabytes: sumOf(pids, "Pss") };
}

/** Resident memory of a server and its helpers, without agents; not a number for one that is not on this machine. */
export function serverMegabytes(root: number | undefined, agent: string): number {
  if (root === undefined) return Number.NaN;
  return sumOf(serverPids(root, agent), "Rss");
}

function sumOf(pids: readonly number[], field: "Rss" | "Pss"): number {
  const line = new RegExp(`^${field}:\\s+(\\d+)`, "m");
  const kibibytes = pids.map((pid) => Number(line.exec(readProc(`${pid}/smaps_rollup`))?.[1] ?? 0));
  return kibibytes.reduce((sum, count) => sum + count, 0) / KIB_PER_MIB;
}
