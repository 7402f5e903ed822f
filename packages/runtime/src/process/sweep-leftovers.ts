import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { killMarked } from "./marked-processes.ts";
import { signalGroup } from "./process-group.ts";
import { isAlive, readBootId, readPidNamespace } from "./process-identity.ts";
import { registryEntrySchema } from "./process-registry.ts";

type Entry = z.infer<typeof registryEntrySchema>;

export interface Sweep {
  /** Entries of an earlier Caret, now removed. */
  readonly entries: number;
  /** Groups and stray processes that it left running, now killed. */
  readonly killed: number;
}

/**
 * Kills what an earlier Caret left behind, at start-up. Only exact matches of number, start time and boot, and only
 * processes that carry an entry's mark: never a stranger, and never the children of a Caret that still lives. What was
 * started in another PID namespace cannot be judged from here, and dies with it: its entries stay until the next boot.
 */
export function sweepLeftovers(directory: string): Sweep {
  const bootId = readBootId();
  const marks = new Set<string>();
  let killed = 0;
  let entries = 0;
  for (const path of listEntries(directory)) {
    const entry = readEntry(path);
    const isOfThisBoot = entry !== undefined && entry.bootId === bootId;
    if (isOfThisBoot && (isElsewhere(entry) || isAlive(entry.keeper))) continue;
    if (isOfThisBoot) marks.add(entry.mark);
    if (isOfThisBoot && isAlive(entry.process) && signalGroup(entry.process, "SIGKILL")) killed += 1;
    entries += 1;
    rmSync(path, { force: true });
  }
  return { entries, killed: killed + killMarked(marks) };
}

function isElsewhere({ pidNamespace }: Entry): boolean {
  return pidNamespace !== undefined && pidNamespace !== readPidNamespace();
}

function listEntries(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(".json"))
      .map((name) => join(directory, name));
  } catch {
    return []; // no directory yet: nothing was ever started
  }
}

function readEntry(path: string): Entry | undefined {
  try {
    return registryEntrySchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return undefined; // half-written when Caret died, or not ours
  }
}
