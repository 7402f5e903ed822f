import { existsSync } from "node:fs";
import { type CandidateView, CaretError } from "@caret/protocol";
import { type Git, runGit } from "../git/run-git.ts";
import { type OnlyHere, onlyHere } from "../worktrees/only-here.ts";
import { removeWorktree } from "../worktrees/remove-worktree.ts";
import type { Worktree } from "../worktrees/worktree.ts";

/** What `git show-ref` ends with. */
const NO_SUCH_REF = 1;

/** What of a candidate's work goes with its worktree. */
export type Expendable =
  /** Nobody has chosen: nothing goes that is nowhere else. */
  | "nothing"
  /** A person has looked at the comparison and chosen: the changes that it lists go. */
  | "what-is-listed"
  /** A person has said so. */
  | "everything";

type ListedFiles = Pick<CandidateView, "files">;

/** Removes a worktree unless it holds what is not expendable and nowhere else: resolves with the names of that, and then it stays. */
export async function releaseWorktree(
  git: Git,
  worktree: Worktree,
  expendable: Expendable,
  { files = [] }: ListedFiles = {},
): Promise<readonly string[]> {
  const listed = new Set(expendable === "what-is-listed" ? files.map(({ path }) => path) : []);
  const held = expendable === "everything" ? [] : await heldBy(git, worktree);
  const kept = held.filter((name) => !listed.has(name));
  if (kept.length === 0) await removeWorktree(git, worktree);
  return kept;
}

/** What Git cannot look at is not known to be elsewhere. */
async function heldBy(git: Git, worktree: Worktree): Promise<readonly string[]> {
  try {
    const { unmerged, leftBehind }: OnlyHere = await onlyHere(git, worktree);
    return [...unmerged, ...leftBehind];
  } catch (reason) {
    if (!CaretError.is(reason)) throw reason;
    if (existsSync(worktree.path)) return ["its files: Git cannot read them"];
    return (await isWithoutBranch(git, worktree)) ? [] : [`the commits of ${worktree.branch}: Git cannot read them`];
  }
}

/** Also where the repository is gone: there is nothing left to lose. */
async function isWithoutBranch(git: Git, { repository, branch }: Worktree): Promise<boolean> {
  if (!existsSync(repository)) return true;
  const { code } = await runGit(git, repository, ["show-ref", "--verify", "--quiet", `refs/heads/${branch}`]);
  return code === NO_SUCH_REF;
}
