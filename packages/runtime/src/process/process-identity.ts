import { readFileSync, readlinkSync } from "node:fs";

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

/** What /proc says about a process, or undefined when it is gone (or there is no /proc). */
export function readProcessStat(pid: number): ProcessStat | undefined {
  const text = readProcFile(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
  const [state, parentPid, groupId, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const startTime = rest[16];
  if (state === undefined || startTime === undefined) return undefined;
  return { state, parentPid: Number(parentPid), groupId: Number(groupId), startTime };
}

export function identifyProcess(pid: number): ProcessIdentity {
  return { pid, startTime: readProcessStat(pid)?.startTime };
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
