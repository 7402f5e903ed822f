import { hasCode } from "./file-error.ts";
import type { PinnedDirectory } from "./pinned-directory.ts";

/** Never of interest, and often larger than everything else. */
const SKIPPED = new Set([".git", "node_modules"]);
/** One descriptor is held per level. */
const MAX_DEPTH = 64;

export interface FoundFile {
  /** Open only while the walk is at this file; do not keep it. */
  readonly directory: PinnedDirectory;
  readonly name: string;
  /** Path from the start of the walk, with slashes. */
  readonly path: string;
}

export interface WalkOptions {
  readonly signal: AbortSignal;
  /** Called for directories that could not be entered: too deep, or inaccessible. */
  readonly onMissed?: () => void;
}

/** All regular files below a directory, in name order. Links are not followed. */
export async function* walkFiles(
  directory: PinnedDirectory,
  options: WalkOptions,
  way: readonly string[] = [],
): AsyncGenerator<FoundFile, void, undefined> {
  const { signal, onMissed = () => undefined } = options;
  for (const entry of await directory.list()) {
    signal.throwIfAborted();
    const path = [...way, entry.name];
    if (entry.isFile()) yield { directory, name: entry.name, path: path.join("/") };
    if (!entry.isDirectory() || SKIPPED.has(entry.name)) continue;
    const below = way.length >= MAX_DEPTH ? undefined : await enterIfPossible(directory, entry.name);
    if (below === undefined) {
      onMissed();
      continue;
    }
    try {
      yield* walkFiles(below, options, path);
    } finally {
      await below.close();
    }
  }
}

/** Skips a directory that vanished, turned into a link or is inaccessible. */
async function enterIfPossible(directory: PinnedDirectory, name: string): Promise<PinnedDirectory | undefined> {
  try {
    return await directory.enter(name);
  } catch (reason) {
    if (hasCode(reason, "ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM")) return undefined;
    throw reason;
  }
}
