import { type BytePath, shownPath, splitPaths } from "./byte-path.ts";
import { filesBelow, kindOf } from "./on-disk.ts";
import type { RunSafely } from "./run-safely.ts";
import type { TreeChange } from "./tree-changes.ts";
import { unsavedFiles } from "./unsaved-files.ts";

/** A line for every file of the repository. */
const MOST_LISTED = 256 * 1024 * 1024;

/** A letter and a space stand before each name. */
const TAG = 2;
/** Files that Git is told to take for unchanged, whatever is in them: small letters, and those outside a sparse checkout. */
const UNWATCHED = /^[a-zS] /;

/**
 * What a person has at the places that these changes would write or delete, and no commit has: changed, staged, untracked and ignored
 * files, and everything in a directory that would become a file. Git takes ignored files for expendable; here none is.
 */
export async function filesInTheWay(
  run: RunSafely,
  top: string,
  changes: readonly TreeChange[],
): Promise<readonly string[]> {
  const { known, unwatched } = await listIndex(run);
  const unsaved = new Set((await unsavedFiles(run)).map(({ path }) => path));
  const found = new Set<BytePath>();
  for (const { path, after } of changes) {
    if (unsaved.has(path) || (unwatched.has(path) && (await kindOf(top, path)) !== undefined)) found.add(path);
    const taken = after === undefined ? [] : await unknownAt(top, path, known);
    for (const name of taken) found.add(name);
  }
  return [...found].sort().map(shownPath);
}

async function listIndex(run: RunSafely) {
  const { text } = await run(["ls-files", "-v", "-z"], { decoding: "latin1", maxBytes: MOST_LISTED });
  const lines = splitPaths(text);
  const names = (some: readonly string[]): ReadonlySet<BytePath> => new Set(some.map((line) => line.slice(TAG)));
  return { known: names(lines), unwatched: names(lines.filter((line) => UNWATCHED.test(line))) };
}

/** What is at a place, or in the way to it, that the index does not know. */
async function unknownAt(top: string, path: BytePath, known: ReadonlySet<BytePath>): Promise<readonly BytePath[]> {
  const taken = await takenBefore(top, path);
  if (taken !== undefined) return known.has(taken) ? [] : [taken];
  const kind = await kindOf(top, path);
  if (kind === undefined) return [];
  const there = kind === "file" ? [path] : await filesBelow(top, path);
  return there.filter((file) => !known.has(file));
}

/** A file, a link or another repository where the way to a place leads through. */
async function takenBefore(top: string, path: BytePath): Promise<BytePath | undefined> {
  const names = path.split("/");
  for (let depth = 1; depth < names.length; depth += 1) {
    const parent = names.slice(0, depth).join("/");
    const kind = await kindOf(top, parent);
    if (kind === undefined) return undefined;
    if (kind === "file") return parent;
    if ((await kindOf(top, `${parent}/.git`)) !== undefined) return `${parent}/`;
  }
  return undefined;
}
