import { type ChildProcess, type IOType, spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";
import type { ChildCommand, ChildExit } from "../child-handle.ts";
import { followContainedAgent } from "../containment.ts";
import { killWindowsTree, signalGroup, signalProcess } from "../process-group.ts";
import { identifyProcess, type ProcessIdentity } from "../process-identity.ts";
import type { ProcessRegistry } from "../process-registry.ts";
import { toStartFailure } from "../start-failure.ts";
import type { StatusFile, StatusFiles } from "../status-files.ts";
import type { ReapTime, StrayReaper } from "../stray-reaper.ts";
import { PROCESS_MARK } from "../sweep-leftovers.ts";

/** A program being replaced by its own update cannot be started for a moment. */
const BUSY_RETRY_MS = [50, 150, 400];

type Stdio = IOType | Socket;

export interface StartOptions {
  /** Standard input, output and error. */
  readonly stdio: readonly Stdio[];
  /** Descriptors of ours to hide from the child; replaced by /dev/null. */
  readonly hidden?: Hidden | undefined;
  /** Identifies the child and its descendants. */
  readonly mark: string;
  readonly signal?: AbortSignal;
  readonly reaper: StrayReaper;
  /** Where bubblewrap reports. */
  readonly statuses: StatusFiles | undefined;
  readonly registry?: ProcessRegistry | undefined;
}

/** `device` is an open descriptor of /dev/null. */
interface Hidden {
  readonly descriptors: readonly number[];
  readonly device: number;
}

export interface StartedProcess {
  readonly child: ChildProcess;
  readonly identity: ProcessIdentity;
  readonly exited: Promise<ChildExit>;
  /** Signals the group; does nothing once it is gone. */
  signal(signal: NodeJS.Signals): void;
  /** After the exit: kills the rest of the group and everything that carries the mark. */
  reap(strays: ReapTime): Promise<void>;
}

/** The only function that starts processes. Rejects with a CaretError if the program cannot run. */
export async function startProcess(command: ChildCommand, options: StartOptions): Promise<StartedProcess> {
  const { mark } = options;
  const status = command.contained ? options.statuses?.take() : undefined;
  const child = await spawnPatiently(command, options, status);
  const identity = identifyProcess(child.pid);
  const agent = command.contained ? followContainedAgent(child.pid, status) : undefined;
  let hasLeft = false;
  // A contained process needs no entry: the kernel ends it, and all it started, with the process that started it.
  const registry = agent === undefined ? options.registry : undefined;
  registry?.add(mark, identity);
  const exited = new Promise<ChildExit>((resolve) => {
    child.once("exit", (code, signal) => {
      hasLeft = true;
      // Bubblewrap's own failures look like the agent's: exit code 1 and words on standard error.
      const isAgents = agent === undefined || code === 0 || signal !== null || agent.hasRun();
      resolve(isAgents ? { kind: "exited", code, signal } : { kind: "failed-to-start", error: containerFailed() });
      status?.release();
    });
  });
  return {
    child,
    identity,
    exited,
    signal(signal) {
      const inner = signal === "SIGKILL" || hasLeft ? undefined : agent?.identify();
      if (inner !== undefined) signalProcess(inner, signal);
      else if (process.platform !== "win32") signalGroup(identity, agent === undefined ? signal : withoutAgent(signal));
      else if (signal !== "SIGCONT") killWindowsTree(identity.pid);
    },
    async reap(strays) {
      // Nothing escapes a PID namespace: the kernel has ended all of it with its first process. What is left of the group is the relay of
      // its output, outside: SIGKILL would lose the last bytes, and it ends with its pipe anyway.
      if (agent === undefined) {
        if (process.platform !== "win32") signalGroup(identity, "SIGKILL");
        await options.reaper.reap(mark, strays);
      }
      registry?.remove(mark);
    },
  };
}

/**
 * The signal for a container whose agent cannot be found: a graceful stop is impossible. SIGCONT alone ends nothing: the agent may have
 * died of the preceding SIGTERM, with the container about to report how.
 */
function withoutAgent(signal: NodeJS.Signals): NodeJS.Signals {
  return signal === "SIGCONT" ? signal : "SIGKILL";
}

type RunningChild = ChildProcess & { readonly pid: number };

async function spawnPatiently(
  command: ChildCommand,
  options: StartOptions,
  status: StatusFile | undefined,
): Promise<RunningChild> {
  try {
    for (const waitMs of BUSY_RETRY_MS) {
      options.signal?.throwIfAborted();
      try {
        return await spawnOnce(command, options, status);
      } catch (reason) {
        if ((reason as NodeJS.ErrnoException).code !== "ETXTBSY") throw reason;
        await sleep(waitMs);
      }
    }
    options.signal?.throwIfAborted();
    return await spawnOnce(command, options, status);
  } catch (reason) {
    status?.release();
    throw toStartFailure(reason, command);
  } finally {
    status?.handedOn();
  }
}

/** Converts both thrown failures and error events into throws. */
async function spawnOnce(
  command: ChildCommand,
  { stdio, hidden, mark }: StartOptions,
  status: StatusFile | undefined,
): Promise<RunningChild> {
  const child = spawn(command.file, command.args, {
    cwd: command.cwd,
    env: { ...command.env, [PROCESS_MARK]: mark },
    stdio: hide(command.contained ? [...stdio, status?.descriptor ?? "ignore"] : [...stdio], hidden),
    // A separate group and session, so a signal reaches grandchildren and Ctrl-C in our terminal does not.
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  // After the start, only failed kill() calls emit errors, and we make none; without a listener one would end the process.
  child.on("error", ignoreError);
  if (!isRunning(child)) throw (await once(child, "error"))[0];
  return child;
}

function isRunning(child: ChildProcess): child is RunningChild {
  return child.pid !== undefined;
}

function ignoreError(): void {}

function hide(stdio: (Stdio | number)[], hidden: Hidden | undefined): (Stdio | number)[] {
  for (const descriptor of hidden?.descriptors ?? []) {
    while (stdio.length < descriptor) stdio.push("ignore");
    if (hidden !== undefined && stdio.length === descriptor) stdio.push(hidden.device);
  }
  return stdio;
}

function containerFailed(): CaretError {
  return new CaretError("sandbox-unavailable", "Bubblewrap failed before it could start the agent");
}
