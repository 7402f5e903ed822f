import { existsSync, rmSync } from "node:fs";
import { CaretError } from "@caret/protocol";
import { type Git, runGit } from "../git/run-git.ts";
import { onlyHere } from "./only-here.ts";
import { adminDirectory, type Worktree } from "./worktree.ts";

/** Whether a worktree holds what the branch checked out in the repository does not have. */
export async function hasUnmergedWork(git: Git, worktree: Worktree): Promise<boolean> {
  const { unmerged, leftBehind } = await onlyHere(git, worktree);
  return unmerged.length + leftBehind.length > 0;
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
