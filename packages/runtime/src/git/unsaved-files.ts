import type { BytePath } from "./byte-path.ts";
import type { RunSafely } from "./run-safely.ts";

/** Fields before the path in a line of each kind of `git status --porcelain=v2`. */
const FIELDS: Readonly<Record<string, number>> = { "1": 8, "2": 9, u: 10, "?": 1, "!": 1 };

const MOST_PRINTED = 256 * 1024 * 1024;

/** A file in a checkout whose content no commit has. */
export interface UnsavedFile {
  /** A directory whose every file is so ends in a slash. */
  readonly path: BytePath;
  readonly isIgnored: boolean;
}

export interface UnsavedOptions {
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * What lies in a checkout and is not in the commit that is checked out, as Git itself says: files that were changed, staged or removed,
 * those that it does not know and those that it ignores. A repository within is one name: Git is not let run in it.
 */
export async function unsavedFiles(run: RunSafely, { env = {} }: UnsavedOptions = {}): Promise<readonly UnsavedFile[]> {
  const every = ["--untracked-files=all", "--ignored=matching", "--ignore-submodules=dirty", "--no-renames"];
  const { text } = await run(["status", "--porcelain=v2", "-z", ...every], {
    env,
    decoding: "latin1",
    maxBytes: MOST_PRINTED,
  });
  return text.split("\0").flatMap((line) => {
    const fields = FIELDS[line.slice(0, 1)];
    if (fields === undefined) return [];
    return { path: line.split(" ").slice(fields).join(" "), isIgnored: line.startsWith("!") };
  });
}
