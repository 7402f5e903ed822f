import { CaretError } from "@caret/protocol";
import { shownPath } from "../git/byte-path.ts";
import { nameSome } from "../git/name-some.ts";
import type { RunSafely } from "../git/run-safely.ts";
import { treeChanges } from "../git/tree-changes.ts";
import { unsavedFiles } from "../git/unsaved-files.ts";

export interface StoppedMerge {
  /** What is checked out. */
  readonly target: string;
  readonly commit: string;
  readonly reason: unknown;
}

/**
 * The error of a merge that failed: with the files that Git has written or deleted by then, since none of them had changes before. A disk
 * that is full, a directory that is read-only and a filter that fails stop it where it is.
 */
export async function stoppedMidway(run: RunSafely, { target, commit, reason }: StoppedMerge): Promise<unknown> {
  if (!CaretError.is(reason)) return reason;
  const unsaved = new Set((await unsavedFiles(run)).map(({ path }) => path));
  const written = (await treeChanges(run, target, commit)).filter(({ path }) => unsaved.has(path));
  if (written.length === 0) return reason;
  const names = nameSome(written.map(({ path }) => shownPath(path)));
  return new CaretError(
    "invalid-request",
    `Git stopped in the middle of the merge, and has written these files: ${names}`,
    {
      cause: reason,
      ...(reason.upstream === undefined ? {} : { upstream: reason.upstream }),
      fix: "They had no changes of yours, and your commits and other files are as they were. Give them back with `git restore FILE`, remove those that are new, correct what Git said and try again.",
    },
  );
}
