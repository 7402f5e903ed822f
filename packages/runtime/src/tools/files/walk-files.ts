import { hasCode } from "./file-error.ts";
import type { PinnedDirectory } from "./pinned-directory.ts";

/** Never of interest, and often larger than all the rest. */
const SKIPPED = new Set([".git", "node_modules"]);
/** One descriptor is held per level. */
const MAX_DEPTH = 64;

export interface FoundFile {
  /** Held while the walk stands at this file; do not keep it. */
  readonly directory: PinnedDirectory;
  readonly name: string;
  /** From where the walk began, with slashes. */
  readonly path: string;
}

export interface WalkOptions {
  readonly signal: AbortSignal;
  /** Hears of directories that could not be looked into: too deep, or closed to us. */
  readonly onMissed?: () => void;
}

/** Every regular file below a directory, in order of names. Links are not followed. */
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

/** A directory that vanished, turned into a link or is closed to us is simply not searched. */
async function enterIfPossible(directory: PinnedDirectory, name: string): Promise<PinnedDirectory | undefined> {
  try {
    return await directory.enter(name);
  } catch (reason) {
    if (hasCode(reason, "ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM")) return undefined;
    throw reason;
  }
}
