import { closeSync, openSync, readFileSync, readlinkSync, readSync } from "node:fs";

/**
 * One process and no other. Process numbers are used again, so a number alone is nobody; the start time, in clock ticks
 * since boot, makes it one process of this boot. It is undefined where there is no /proc.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string | undefined;
}

export interface ProcessStat {
  /** Z for a zombie: dead, but not yet collected by its parent. */
  readonly state: string;
  readonly parentPid: number;
  readonly groupId: number;
  readonly startTime: string;
}

/** Its place among the fields behind the program's name. */
const START_TIME = 19;

/** What /proc says about a process, or undefined when it is gone (or there is no /proc). */
export function readProcessStat(pid: number): ProcessStat | undefined {
  const text = readProcFile(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parentPid, groupId] = fields;
  const startTime = fields[START_TIME];
  if (state === undefined || startTime === undefined) return undefined;
  return { state, parentPid: Number(parentPid), groupId: Number(groupId), startTime };
}

export function identifyProcess(pid: number): ProcessIdentity {
  return { pid, startTime: readStartTime(pid) };
}

/** The fields up to the start time are shorter than this. */
const STAT_BYTES = 1024;
const stat = Buffer.alloc(STAT_BYTES);

/** Every start of an agent asks for it: one read, where `readFileSync` asks for the size and looks for the end. */
function readStartTime(pid: number): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(`/proc/${pid}/stat`, "r");
    const text = stat.toString("latin1", 0, readSync(file, stat, 0, STAT_BYTES, 0));
    // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
    return text.slice(text.lastIndexOf(")") + 2).split(" ", START_TIME + 1)[START_TIME];
  } catch {
    return undefined; // gone, or there is no /proc
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Whether this process is alive. A zombie is not; without /proc the answer is no. */
export function isAlive(identity: ProcessIdentity): boolean {
  const stat = readProcessStat(identity.pid);
  return stat !== undefined && stat.startTime === identity.startTime && stat.state !== "Z" && stat.state !== "X";
}

/** Changes at every boot, and with it every start time loses its meaning. */
export function readBootId(): string | undefined {
  return readProcFile("/proc/sys/kernel/random/boot_id")?.trim();
}

/** Process numbers mean something only within one: a container that shares our files counts its own. */
export function readPidNamespace(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return undefined; // no /proc, or an unreadable one
  }
}

/** A process may vanish, or belong to another user, between looking for it and reading it: both read as nothing. */
export function readProcFile(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}
