import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Spawner } from "./child-handle.ts";
import { createInlineSpawner } from "./inline-spawner.ts";
import { openProcessRegistry } from "./process-registry.ts";
import { ProcessSpawner } from "./process-spawner.ts";

export interface CreateSpawnerOptions {
  /**
   * `process` starts children in a helper process, which keeps the event loop free and kills them all when this process
   * dies; `inline` starts them here. Windows has no Unix sockets to hand over and is always `inline`.
   */
  readonly mode: "process" | "inline";
  /** Where running processes are written down, under `processes/`, for `sweepLeftovers` at the next start. */
  readonly dataDir?: string;
  /** Where the stream sockets live, in a private directory of their own. */
  readonly socketDir?: string;
  readonly platform?: NodeJS.Platform;
}

export function createSpawner(options: CreateSpawnerOptions): Spawner {
  const { mode, dataDir, socketDir = tmpdir(), platform = process.platform } = options;
  const registryDir = dataDir === undefined ? undefined : join(dataDir, "processes");
  if (mode === "process" && platform !== "win32") return new ProcessSpawner({ registryDir, socketDir });
  return createInlineSpawner({ registry: registryDir === undefined ? undefined : openProcessRegistry(registryDir) });
}
