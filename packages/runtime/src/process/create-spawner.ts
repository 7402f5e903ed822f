import { join } from "node:path";
import type { Spawner } from "./child-handle.ts";
import { createInlineSpawner } from "./inline-spawner.ts";
import { openProcessRegistry } from "./process-registry.ts";

export interface CreateSpawnerOptions {
  /** `inline` starts children in this process. */
  readonly mode: "inline";
  /** Where running processes are written down, under `processes/`, for `sweepLeftovers` of the next start. */
  readonly dataDir?: string;
}

export function createSpawner({ dataDir }: CreateSpawnerOptions): Spawner {
  const registry = dataDir === undefined ? undefined : openProcessRegistry(join(dataDir, "processes"));
  return createInlineSpawner({ registry });
}
