import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { CaretError } from "@caret/protocol";
import type { ChildHandle, Spawner } from "./child-handle.ts";
import { listHideableDescriptors } from "./inherited-descriptors.ts";
import type { Launch } from "./launched-process.ts";
import type { ProcessRegistry } from "./process-registry.ts";
import { startProcess } from "./start-process.ts";
import { createStrayReaper } from "./stray-reaper.ts";
import { superviseChild } from "./supervise-child.ts";

export interface InlineSpawnerOptions {
  readonly registry?: ProcessRegistry | undefined;
}

/** Starts children in this very process: simple, at the price of a blocked event loop for each start. */
export function createInlineSpawner({ registry }: InlineSpawnerOptions = {}): Spawner {
  const hidden = { descriptors: listHideableDescriptors(), device: openSync(devNull, "r+") };
  const reaper = createStrayReaper();
  const children = new Set<ChildHandle>();
  let closed = false;

  const launch: Launch = async (command, { signal }) => {
    if (closed) throw new CaretError("cancelled", "Caret is shutting down");
    const stdin = command.stdin === "closed" ? "ignore" : "pipe";
    const started = await startProcess(command, { stdio: [stdin, "pipe", "pipe"], signal, hidden, reaper, registry });
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

  return {
    spawn(command, options) {
      const child = superviseChild(command, launch, options);
      children.add(child);
      void child.exit.then(() => children.delete(child));
      return child;
    },
    async close() {
      closed = true;
      await Promise.all([...children].map((child) => child.stop({ reason: "Caret is shutting down", graceMs: 0 })));
      await reaper.settled();
      closeSync(hidden.device);
    },
  };
}
