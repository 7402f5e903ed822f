import { type ChildProcess, type IOType, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";
import type { ChildCommand, ChildExit } from "../child-handle.ts";
import { type ContainedAgent, followContainedAgent } from "../containment.ts";
import { killWindowsTree, signalGroup, signalProcess } from "../process-group.ts";
import { identifyProcess, type ProcessIdentity } from "../process-identity.ts";
import type { ProcessRegistry } from "../process-registry.ts";
import { assertStartable, toStartFailure } from "../start-failure.ts";
import type { ReapTime, StrayReaper } from "../stray-reaper.ts";
import { PROCESS_MARK } from "../sweep-leftovers.ts";

/** A program that is just being replaced by its own update cannot be started for a moment. */
const BUSY_RETRY_MS = [50, 150, 400];

type Stdio = IOType | Socket;

export interface StartOptions {
  /** Standard input, output and error. */
  readonly stdio: readonly Stdio[];
  /** Descriptors of ours that the child must not see; replaced by /dev/null. */
  readonly hidden?: Hidden | undefined;
  /** What the child and its descendants are found by. */
  readonly mark: string;
  readonly signal?: AbortSignal;
  readonly reaper: StrayReaper;
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
  /** Signals the group; nothing happens once it is gone. */
  signal(signal: NodeJS.Signals): void;
  /** After the exit: kills whatever is left of the group, and everything that carries the mark. */
  reap(strays: ReapTime): Promise<void>;
}

/** The only function that starts processes. Rejects with a CaretError when the program cannot run. */
export async function startProcess(command: ChildCommand, options: StartOptions): Promise<StartedProcess> {
  const { mark } = options;
  const child = await spawnPatiently(command, options);
  if (child.pid === undefined) throw new CaretError("internal", "A started process has no pid");
  const identity = identifyProcess(child.pid);
  const agent = command.contained ? followContainedAgent(child) : undefined;
  // A contained process needs no entry: the kernel ends it, and all it started, with the process that started it.
  const registry = agent === undefined ? options.registry : undefined;
  registry?.add(mark, identity);
  const exited = new Promise<ChildExit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ kind: "exited", code, signal }));
  }).then((exit) => explainContained(exit, agent));
  return {
    child,
    identity,
    exited,
    signal(signal) {
      const inner = signal === "SIGKILL" ? undefined : agent?.identify();
      if (inner !== undefined) signalProcess(inner, signal);
      else if (process.platform !== "win32") signalGroup(identity, agent === undefined ? signal : "SIGKILL");
      else if (signal !== "SIGCONT") killWindowsTree(identity.pid);
    },
    async reap(strays) {
      // Nothing leaves a process namespace: with its first process the kernel has ended all of it. What is left of the group is
      // the relay of its output, outside: a SIGKILL would lose the last bytes, and it ends with its pipe.
      if (agent === undefined) {
        if (process.platform !== "win32") signalGroup(identity, "SIGKILL");
        await options.reaper.reap(mark, strays);
      }
      registry?.remove(mark);
    },
  };
}

async function spawnPatiently(command: ChildCommand, options: StartOptions): Promise<ChildProcess> {
  try {
    assertStartable(command);
    for (const waitMs of BUSY_RETRY_MS) {
      options.signal?.throwIfAborted();
      try {
        return await spawnOnce(command, options);
      } catch (reason) {
        if ((reason as NodeJS.ErrnoException).code !== "ETXTBSY") throw reason;
        await sleep(waitMs);
      }
    }
    options.signal?.throwIfAborted();
    return await spawnOnce(command, options);
  } catch (reason) {
    throw toStartFailure(reason, command);
  }
}

/** Some failures are thrown, others arrive as an event: here they become one. */
function spawnOnce(command: ChildCommand, { stdio, hidden, mark }: StartOptions): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(command.file, command.args, {
      cwd: command.cwd,
      env: { ...command.env, [PROCESS_MARK]: mark },
      stdio: hide(command.contained ? [...stdio, "pipe"] : [...stdio], hidden),
      // A group and session of its own, so that a signal reaches grandchildren and Ctrl-C in our terminal does not.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    child.once("spawn", () => resolve(child));
    child.once("error", reject);
    // Later errors are failed kill() calls, which nobody makes; without a listener one would end the process.
    child.on("error", () => undefined);
  });
}

function hide(stdio: (Stdio | number)[], hidden: Hidden | undefined): (Stdio | number)[] {
  for (const descriptor of hidden?.descriptors ?? []) {
    while (stdio.length < descriptor) stdio.push("ignore");
    if (hidden !== undefined && stdio.length === descriptor) stdio.push(hidden.device);
  }
  return stdio;
}

/** Bubblewrap's own failures look like the agent's: an exit code of 1 and words on standard error. */
async function explainContained(exit: ChildExit, agent: ContainedAgent | undefined): Promise<ChildExit> {
  if (agent === undefined || exit.kind !== "exited" || exit.signal !== null || (await agent.hasRun())) return exit;
  const error = new CaretError("sandbox-unavailable", "Bubblewrap failed before it could start the agent");
  return { kind: "failed-to-start", error };
}
