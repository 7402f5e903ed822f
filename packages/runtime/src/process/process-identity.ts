import { closeSync, openSync, readFileSync, readlinkSync, readSync } from "node:fs";

/**
 * Identifies one process uniquely. Pids are reused; with its start time, in clock ticks since boot, a pid identifies one process of this
 * boot. Undefined without /proc.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string | undefined;
}

export interface ProcessStat {
  /** Z for a zombie: dead but not yet reaped by its parent. */
  readonly state: string;
  readonly parentPid: number;
  readonly groupId: number;
  readonly startTime: string;
}

/** Index among the fields after the program's name. */
const START_TIME = 19;

/** A process's entry in /proc, or undefined if it is gone (or there is no /proc). */
export function readProcessStat(pid: number): ProcessStat | undefined {
  const text = readProcFile(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The second field is the program's name in parentheses and may itself contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parentPid, groupId] = fields;
  const startTime = fields[START_TIME];
  if (state === undefined || startTime === undefined) return undefined;
  return { state, parentPid: Number(parentPid), groupId: Number(groupId), startTime };
}

export function identifyProcess(pid: number): ProcessIdentity {
  return { pid, startTime: readStartTime(pid) };
}

/** Longer than the fields up to the start time. */
const STAT_BYTES = 1024;
const stat = Buffer.alloc(STAT_BYTES);

/** Runs for every start of an agent: a single read, where `readFileSync` would also query the size and look for the end. */
function readStartTime(pid: number): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(`/proc/${pid}/stat`, "r");
    const text = stat.toString("latin1", 0, readSync(file, stat, 0, STAT_BYTES, 0));
    // The second field is the program's name in parentheses and may itself contain spaces and parentheses.
    return text.slice(text.lastIndexOf(")") + 2).split(" ", START_TIME + 1)[START_TIME];
  } catch {
    return undefined; // gone, or no /proc
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Whether this process is alive. A zombie is not; without /proc the answer is no. */
export function isAlive(identity: ProcessIdentity): boolean {
  const stat = readProcessStat(identity.pid);
  return stat !== undefined && stat.startTime === identity.startTime && stat.state !== "Z" && stat.state !== "X";
}

/** Changes at every boot, which invalidates all start times. */
export function readBootId(): string | undefined {
  return readProcFile("/proc/sys/kernel/random/boot_id")?.trim();
}

/** Pids are meaningful only within one namespace: a container that shares our files has its own. */
export function readPidNamespace(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return undefined; // no /proc, or unreadable
  }
}

/** A process may vanish or belong to another user by the time it is read: both give undefined. */
export function readProcFile(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}
