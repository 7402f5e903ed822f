import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The kernel counts processor time in hundredths of a second, on every Linux. */
const MS_PER_TICK = 10;
const KIB_PER_MIB = 1024;

/** Processor time that living processes have used so far, in milliseconds. */
export function cpuMs(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    // The name in parentheses may itself hold spaces; what follows it starts with the third field.
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * MS_PER_TICK;
}

/** Memory in use, in MiB. */
export function residentMegabytes(pids: readonly number[]): number {
  const kibibytes = pids.map((pid) => /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]);
  return kibibytes.reduce((sum, count) => sum + Number(count), 0) / KIB_PER_MIB;
}

export function childrenOf(parent: number): readonly number[] {
  return allPids().filter((pid) => readOr(`/proc/${pid}/status`, "").includes(`\nPPid:\t${parent}\n`));
}

/** How many processes run this very program. */
export function countRunning(program: string): number {
  return allPids().filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/exe`) === program;
    } catch {
      return false; // gone meanwhile, or another user's
    }
  }).length;
}

function allPids(): readonly number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return otherwise; // gone meanwhile
  }
}
