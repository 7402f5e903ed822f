import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChangedFile, ChangesView } from "@caret/protocol";
import { compareLink } from "../../git/compare-link.ts";
import { DIFF, patchesByPath, shownPatch, splitPatch } from "../../git/patches.ts";
import type { Git } from "../../git/run-git.ts";
import { openSnapshots } from "../../git/snapshot-tree.ts";
import { changedFiles } from "../../worktrees/worktree-changes.ts";
import type { Baseline } from "./baselines.ts";
import { readChanges } from "./read-changes.ts";

const MAX_FILES = 500;
/** What git ends with when objects are missing. */
const FATAL = 128;

/**
 * What has changed in a workspace since the session began, commits included. Who changed it cannot be known: another session, a
 * person and an editor work on the same files. Without a baseline it is what differs from the last commit.
 */
export async function sessionChanges(
  git: Git,
  workspace: string,
  baseline: Baseline | undefined,
): Promise<ChangesView> {
  const since = baseline === undefined ? undefined : await sinceBaseline(git, workspace, baseline);
  const view = since ?? { ...(await readChanges(git, workspace)), since: "commit" as const };
  if (!view.isRepository || view.branch === undefined) return view;
  const compare = await compareLink(git, workspace, view.branch);
  return compare === undefined ? view : { ...view, compare };
}

/** Undefined when there is too much that is new, or when what the session found is gone: pruned from the repository by `git gc`. */
async function sinceBaseline(git: Git, workspace: string, baseline: Baseline): Promise<ChangesView | undefined> {
  const { tree: before, takenAt } = baseline;
  const objects = mkdtempSync(join(tmpdir(), "caret-objects-"));
  try {
    const { run, take } = await openSnapshots(git, { workspace, objects, others: [baseline.objects] });
    const after = await take();
    if (after === undefined) return undefined;
    const patch = await run([...DIFF, "--relative", before, after], { codes: [0, FATAL] });
    if (patch.code === FATAL) return undefined;
    const patches = patchesByPath(splitPatch(patch.text));
    const files = await changedFiles(run, before, after, ["--relative"]);
    const shown = files
      .slice(0, MAX_FILES)
      .map((file): ChangedFile => ({ ...file, ...shownPatch(patches.get(file.path)) }));
    const branch = (await run(["symbolic-ref", "--quiet", "--short", "HEAD"], { codes: [0, 1] })).text.trim();
    return {
      isRepository: true,
      since: "session",
      sinceAt: takenAt,
      ...(branch === "" ? {} : { branch }),
      files: shown,
      omitted: files.length - shown.length,
    };
  } finally {
    rmSync(objects, { recursive: true, force: true });
  }
}
