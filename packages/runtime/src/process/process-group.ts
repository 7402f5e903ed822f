import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { ChildCommand, ChildExit } from "./child-handle.ts";
import { type ProcessIdentity, readProcessStat } from "./process-identity.ts";
import type { ReapTime } from "./stray-reaper.ts";

/**
 * Signals the group that this process leads or led. False if there is nothing to signal: the group is gone, or its pid now belongs to an
 * unrelated process.
 */
export function signalGroup(leader: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (isReused(leader)) return false;
  return signalExactly(-leader.pid, signal);
}

/** Signals one process, unless its pid now belongs to an unrelated one. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (isReused(identity)) return false;
  return signalExactly(identity.pid, signal);
}

/** Windows has no process groups: force-ends the tree below exactly this pid. */
export function windowsKillCommand(pid: number): { readonly file: string; readonly args: readonly string[] } {
  return { file: "taskkill", args: ["/PID", String(pid), "/T", "/F"] };
}

export function killWindowsTree(pid: number): void {
  const { file, args } = windowsKillCommand(pid);
  const killer = spawn(file, args, { stdio: "ignore", windowsHide: true });
  // Without taskkill there is no better option; the child's exit shows whether it worked.
  killer.on("error", () => undefined);
  killer.unref();
}

/** While any member lives, the kernel does not reuse a group's number; a new owner is detected by its start time. */
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
    if (code === "ESRCH" || code === "EPERM") return false; // gone, or now another user's
    throw reason;
  }
}

/** The raw ends of a running process, wherever it was started. */
export interface LaunchedProcess {
  readonly pid: number;
  /** Omitted if the command's standard input is closed. */
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<ChildExit>;
  /** Signals the whole group. Does nothing if the group is gone. */
  signal(signal: NodeJS.Signals): void;
  /** Kills whatever the process left behind, after its exit: the group at once, strays outside it at the time given by `strays`. */
  reap(strays: ReapTime): Promise<void>;
  /** Whether it keeps this process alive, as it does from its start; omitted if only its streams do. */
  hold?(isHeld: boolean): void;
}

/**
 * Throws or rejects with a CaretError if the process cannot start, or if the signal aborts first. Returns no promise if the process
 * already exists.
 */
export type Launch = (
  command: ChildCommand,
  options: { readonly signal: AbortSignal },
) => Promise<LaunchedProcess> | LaunchedProcess;
