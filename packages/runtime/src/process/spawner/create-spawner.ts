import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { listHideableDescriptors } from "../child-environment.ts";
import type { ChildHandle, Spawner } from "../child-handle.ts";
import type { Launch } from "../process-group.ts";
import { openProcessRegistry, type ProcessRegistry } from "../process-registry.ts";
import { StatusFiles } from "../status-files.ts";
import { createStrayReaper } from "../stray-reaper.ts";
import { superviseChild } from "../supervise-child.ts";
import { ProcessSpawner } from "./process-spawner.ts";
import { startProcess } from "./start-process.ts";

export interface CreateSpawnerOptions {
  /**
   * `process` starts children in a helper process, which keeps the event loop free and kills them all if this process dies; `inline`
   * starts them here. Windows cannot pass Unix sockets and is always `inline`.
   */
  readonly mode: "process" | "inline";
  /** Where running processes are recorded, under `processes/`, for `sweepLeftovers` at the next start. */
  readonly dataDir?: string;
  /** Where the stream sockets are created, in a private directory. */
  readonly socketDir?: string;
  /** In mode `process`: how many processes started ahead wait for `seated` commands. */
  readonly seats?: number;
  /** Maximum waiting after many were used at once. Default: that of `Seats`. */
  readonly mostSeats?: number;
  /** A spawner process from `forkSpawner`, which boots in the meantime. Ended in mode `inline`. */
  readonly forked?: ChildProcess | undefined;
  readonly platform?: NodeJS.Platform;
}

export function createSpawner(options: CreateSpawnerOptions): Spawner {
  const { mode, dataDir, socketDir = tmpdir(), seats, mostSeats, forked, platform = process.platform } = options;
  const registryDir = dataDir === undefined ? undefined : join(dataDir, "processes");
  if (mode === "process" && platform !== "win32")
    return new ProcessSpawner({ registryDir, socketDir, seats, mostSeats, forked });
  forked?.disconnect();
  return createInlineSpawner({ registry: registryDir === undefined ? undefined : openProcessRegistry(registryDir) });
}

export interface InlineSpawnerOptions {
  readonly registry?: ProcessRegistry | undefined;
}

/** Starts children in this process: simple, but each start blocks the event loop. */
export function createInlineSpawner({ registry }: InlineSpawnerOptions = {}): Spawner {
  const hidden = { descriptors: listHideableDescriptors(), device: openSync(devNull, "r+") };
  const reaper = createStrayReaper();
  const statuses = new StatusFiles(tmpdir());
  const children = new Set<ChildHandle>();
  let closing: Promise<void> | undefined;

  const launch: Launch = async (command, { signal }) => {
    if (closing !== undefined) throw new CaretError("cancelled", "Caret is shutting down");
    const stdin = command.stdin === "closed" ? "ignore" : "pipe";
    const stdio = [stdin, "pipe", "pipe"] as const;
    const started = await startProcess(command, {
      mark: randomUUID(),
      stdio,
      signal,
      hidden,
      reaper,
      statuses,
      registry,
    });
    const { stdin: input, stdout, stderr } = started.child;
    if (stdout === null || stderr === null) throw new CaretError("internal", "A child was started without its pipes");
    return {
      pid: started.identity.pid,
      stdin: input ?? undefined,
      stdout,
      stderr,
      exited: started.exited,
      signal: started.signal,
      reap: started.reap,
    };
  };

  async function close(): Promise<void> {
    await Promise.all([...children].map((child) => child.stop({ reason: "Caret is shutting down", graceMs: 0 })));
    await reaper.settled();
    statuses.close();
    closeSync(hidden.device);
  }

  return {
    spawn(command, options) {
      const child = superviseChild(command, launch, options);
      children.add(child);
      void child.exit.then(() => children.delete(child));
      return child;
    },
    async close() {
      // Only once: by a second call the device's descriptor number may belong to another file.
      closing ??= close();
      await closing;
    },
  };
}
