import { existsSync, rmSync } from "node:fs";
import { CaretError } from "@caret/protocol";
import { type Git, runGit } from "../git/run-git.ts";
import { line, snapshotWorktree } from "./snapshot-worktree.ts";
import { adminDirectory, inRepository, type RunSafely, type Worktree } from "./worktree.ts";

/** What `git merge-base` ends with when there is none. */
const NO_COMMON_COMMIT = 1;

/** Whether a worktree holds work that the branch checked out in the repository does not have. */
export async function hasUnmergedWork(git: Git, worktree: Worktree): Promise<boolean> {
  if (!existsSync(worktree.path)) return false;
  const { head, tree, isCommitted } = await snapshotWorktree(git, worktree);
  const run = await inRepository(git, worktree.repository);
  if (!(await isBranchMerged(run, worktree.branch, head))) return true;
  const { code, text } = await run(["merge-base", "HEAD", head], { codes: [0, NO_COMMON_COMMIT] });
  if (code === NO_COMMON_COMMIT) return true;
  const base = text.trim();
  if (isCommitted && base === head) return false;
  return (await line(run, ["rev-parse", `${base}^{tree}`])) !== tree;
}

/** Something else than the worktree's branch may be checked out in it: then the branch, which is deleted, has commits of its own. */
async function isBranchMerged(run: RunSafely, branch: string, head: string): Promise<boolean> {
  const { code, text } = await run(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`], { codes: [0, 1] });
  const tip = text.trim();
  if (code !== 0 || tip === head) return true;
  return (await run(["merge-base", "--is-ancestor", tip, "HEAD"], { codes: [0, 1] })).code === 0;
}

/**
 * Removes a worktree, its files and its branch. The repository's own list of worktrees is not pruned: another one whose disk is not
 * mounted would be forgotten.
 */
export async function removeWorktree(git: Git, { repository, path, branch }: Worktree): Promise<void> {
  const admin = await knownAs(git, repository, path);
  rmSync(path, { recursive: true, force: true });
  if (admin === undefined) return;
  rmSync(admin, { recursive: true, force: true });
  const { code, errors } = await runGit(git, repository, ["branch", "-D", "--", branch]);
  if (code === 0 || /not found/.test(errors)) return;
  throw new CaretError("invalid-request", `The worktree is removed, but its branch ${branch} is not`, {
    upstream: errors.trim(),
    fix: `Delete it yourself: \`git branch -D ${branch}\`.`,
  });
}

/** Undefined when the repository is gone or has forgotten the worktree. */
async function knownAs(git: Git, repository: string, path: string): Promise<string | undefined> {
  if (!existsSync(repository)) return undefined;
  try {
    return await adminDirectory(git, repository, path);
  } catch (reason) {
    if (CaretError.is(reason) && reason.code === "workspace-missing") return undefined;
    throw reason;
  }
}
