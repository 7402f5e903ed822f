import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { CaretError, type CommitChanges, type CommittedChanges } from "@caret/protocol";
import { addFiles } from "../../git/add-files.ts";
import { withoutOwnPrograms } from "../../git/own-programs.ts";
import type { Git } from "../../git/run-git.ts";
import { wayInside } from "../../paths/physical-path.ts";
import { line } from "../../worktrees/snapshot-worktree.ts";
import { inRepository, type RunSafely } from "../../worktrees/worktree.ts";
import { assertCommittable, assertNewBranch } from "./assert-committable.ts";

/**
 * Commits these files of a workspace as they are now, and nothing else, on the branch that is checked out or on a new one. No hook, no
 * signing program and no filter of the repository runs; where a filter decides what is committed, it is refused. The commit is made
 * beside the checkout: when it cannot be made, neither the branch nor the index has changed.
 */
export async function commitChanges(
  git: Git,
  workspace: string,
  { message, paths, branch }: CommitChanges,
): Promise<CommittedChanges> {
  const inside = paths.map((path) => insideOf(workspace, path));
  await assertNoFilters(git, workspace);
  const run = await inRepository(git, workspace);
  await assertCommittable(run, workspace);
  if (branch !== undefined) await assertNewBranch(run, branch);
  const parent = await headOf(run);
  const tree = await treeWith(run, parent, inside);
  const parents = parent === undefined ? [] : ["-p", parent];
  const commit = await line(run, ["commit-tree", tree, ...parents, "-m", message.trim()]);
  const undo = await moveTo(run, { commit, parent, branch });
  try {
    await addFiles(run, { paths: inside });
  } catch (reason) {
    // Another program holds the index: it would take the commit for changes that were staged against it.
    await undo();
    throw reason;
  }
  const now = await branchOf(run);
  return now === undefined ? { commit } : { commit, branch: now };
}

/** The way from the workspace to a file in it: the repository may be larger, and another's files are in it. */
function insideOf(workspace: string, path: string): string {
  const way = wayInside(workspace, isAbsolute(path) ? path : resolve(workspace, path));
  if (way !== undefined) return way === "" ? "." : way;
  throw new CaretError("invalid-request", `${JSON.stringify(path)} is not in the session's workspace`, {
    fix: "Name files of the workspace, as its changes list them.",
  });
}

async function headOf(run: RunSafely): Promise<string | undefined> {
  const { code, text } = await run(["rev-parse", "--verify", "--quiet", "HEAD"], { codes: [0, 1] });
  return code === 0 ? text.trim() : undefined;
}

/** Undefined while no branch is checked out. */
async function branchOf(run: RunSafely): Promise<string | undefined> {
  const { text } = await run(["symbolic-ref", "--quiet", "--short", "HEAD"], { codes: [0, 1] });
  return text.trim() === "" ? undefined : text.trim();
}

/** The last commit's tree with these files as they are now, made in an index of its own. */
async function treeWith(run: RunSafely, parent: string | undefined, paths: readonly string[]): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "caret-index-"));
  const env = { GIT_INDEX_FILE: join(directory, "index") };
  try {
    await run(["read-tree", ...(parent === undefined ? ["--empty"] : [parent])], { env });
    await addFiles(run, { paths, env });
    const before = parent === undefined ? undefined : await line(run, ["rev-parse", `${parent}^{tree}`]);
    const tree = await line(run, ["write-tree"], env);
    if (tree !== before) return tree;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  throw new CaretError("invalid-request", "There is nothing to commit: these files are as in the last commit", {
    fix: "Refresh the changes and look again.",
  });
}

interface Move {
  readonly commit: string;
  readonly parent: string | undefined;
  readonly branch: string | undefined;
}

/** Moves the branch, or begins the new one, only from where it stood. Gives what takes that back. */
async function moveTo(run: RunSafely, { commit, parent, branch }: Move): Promise<() => Promise<void>> {
  const none = "0".repeat(commit.length);
  if (branch === undefined) {
    await run(["update-ref", "-m", "caret: commit", "HEAD", commit, parent ?? none]);
    return async () => {
      if (parent === undefined) await run(["update-ref", "-d", "HEAD", commit]);
      else await run(["update-ref", "HEAD", parent, commit]);
    };
  }
  const before = await branchOf(run);
  const name = `refs/heads/${branch}`;
  await run(["update-ref", "-m", "caret: commit", name, commit, none]);
  await run(["symbolic-ref", "-m", `caret: begin ${branch}`, "HEAD", name]);
  return async () => {
    if (before !== undefined) await run(["symbolic-ref", "HEAD", `refs/heads/${before}`]);
    else if (parent !== undefined) await run(["update-ref", "--no-deref", "HEAD", parent]);
    await run(["update-ref", "-d", name, commit]);
  };
}

async function assertNoFilters(git: Git, workspace: string): Promise<void> {
  const own = Object.keys(await withoutOwnPrograms(git, workspace));
  if (!own.some((key) => key.startsWith("filter."))) return;
  throw new CaretError("unsupported", "The repository's own settings name filters that decide what is committed", {
    fix: "Commit in a terminal: `git add` and `git commit` run them.",
  });
}
