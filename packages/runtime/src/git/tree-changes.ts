import { type BytePath, shownPath } from "./byte-path.ts";
import type { RunSafely } from "./run-safely.ts";

/** Nothing is there in one of the trees. */
const ABSENT = "000000";
/** The mode of a repository within another. */
export const REPOSITORY = "160000";
/** Two modes, two objects and a letter, with a space between, before a name. */
const MODES = /^:(\d{6}) (\d{6}) /;

const MOST_PRINTED = 256 * 1024 * 1024;

export interface TreeChange {
  readonly path: BytePath;
  /** As Git has them; `undefined`: it is not in this tree. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** In which files two trees differ, a renamed one as one that went and one that came. */
export async function treeChanges(run: RunSafely, from: string, to: string): Promise<readonly TreeChange[]> {
  const args = ["diff-tree", "-r", "--raw", "-z", "--no-renames", "--full-index", from, to];
  const { text } = await run(args, { decoding: "latin1", maxBytes: MOST_PRINTED });
  const words = text.split("\0");
  const changes: TreeChange[] = [];
  for (let index = 0; index + 1 < words.length; index += 2) {
    const [, before = ABSENT, after = ABSENT] = MODES.exec(words[index] ?? "") ?? [];
    const known = (mode: string): string | undefined => (mode === ABSENT ? undefined : mode);
    changes.push({ path: words[index + 1] ?? "", before: known(before), after: known(after) });
  }
  return changes;
}

/** Repositories within the one that a change would add, move on or remove: only their names, and none of their files, are in a tree. */
export function repositoriesIn(changes: readonly TreeChange[]): readonly string[] {
  return changes
    .filter(({ before, after }) => before === REPOSITORY || after === REPOSITORY)
    .map(({ path }) => shownPath(path));
}
