import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { ChildCommand, ChildExit } from "./child-handle.ts";
import { type ProcessIdentity, readProcessStat } from "./process-identity.ts";
import type { ReapTime } from "./stray-reaper.ts";

/**
 * Signals the group that this process leads or led. False when there is nothing to signal: the group is gone, or its
 * number now belongs to a stranger.
 */
export function signalGroup(leader: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (isReused(leader)) return false;
  return signalExactly(-leader.pid, signal);
}

/** Signals one process, unless its number now belongs to a stranger. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (isReused(identity)) return false;
  return signalExactly(identity.pid, signal);
}

/** Windows has no groups: the tree below one exact process number is ended by force. */
export function windowsKillCommand(pid: number): { readonly file: string; readonly args: readonly string[] } {
  return { file: "taskkill", args: ["/PID", String(pid), "/T", "/F"] };
}

export function killWindowsTree(pid: number): void {
  const { file, args } = windowsKillCommand(pid);
  const killer = spawn(file, args, { stdio: "ignore", windowsHide: true });
  // Without taskkill there is nothing better to try; the exit of the child shows whether it worked.
  killer.on("error", () => undefined);
  killer.unref();
}

/** While any member lives the kernel does not give a group's number to another; a new owner is seen by its start time. */
function isReused({ pid, startTime }: ProcessIdentity): boolean {
  if (startTime === undefined) return false;
  const owner = readProcessStat(pid);
  return owner !== undefined && owner.startTime !== startTime;
}

function signalExactly(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal);
  } catch (reason) {
    const code = (reason as NodeJS.ErrnoException).code;
    if (code === "ESRCH" || code === "EPERM") return false; // gone, or become another user's and out of our reach
    throw reason;
  }
}

/** The bare ends of a running process, wherever it was started. */
export interface LaunchedProcess {
  readonly pid: number;
  /** Absent when the command's standard input is closed. */
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<ChildExit>;
  /** Signals the whole group. Does nothing when the group is gone. */
  signal(signal: NodeJS.Signals): void;
  /** Kills whatever the process left behind, after its exit: the group at once, strays outside it at the time that `strays` says. */
  reap(strays: ReapTime): Promise<void>;
  /** Whether it keeps this process from ending by itself, as it does from its start on; absent where only its streams do. */
  hold?(isHeld: boolean): void;
}

/**
 * Throws or rejects with a CaretError when the process cannot start, also when the signal aborts before it did. No promise: the process was
 * there already.
 */
export type Launch = (
  command: ChildCommand,
  options: { readonly signal: AbortSignal },
) => Promise<LaunchedProcess> | LaunchedProcess;
