import { CaretError, type CommitChanges, type CommittedChanges } from "@caret/protocol";
import { withoutOwnPrograms } from "../../git/own-programs.ts";
import { type Git, runGit } from "../../git/run-git.ts";
import { inRepository } from "../../worktrees/worktree.ts";

/**
 * Commits these files of a workspace as they are now, and nothing else, on the branch that is checked out or on a new one. No hook, no
 * signing program and no filter of the repository runs; where a filter decides what is committed, it is refused.
 */
export async function commitChanges(
  git: Git,
  workspace: string,
  { message, paths, branch }: CommitChanges,
): Promise<CommittedChanges> {
  await assertNoFilters(git, workspace);
  const run = await inRepository(git, workspace);
  const env = { GIT_LITERAL_PATHSPECS: "1" };
  if (branch !== undefined) await run(["checkout", "--quiet", "-b", await checkedBranch(git, workspace, branch)]);
  await run(["add", "--all", "--", ...paths], { env });
  await run(["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--only", "-m", message, "--", ...paths], { env });
  const commit = (await run(["rev-parse", "HEAD"])).text.trim();
  const now = (await run(["symbolic-ref", "--quiet", "--short", "HEAD"], { codes: [0, 1] })).text.trim();
  return now === "" ? { commit } : { commit, branch: now };
}

async function assertNoFilters(git: Git, workspace: string): Promise<void> {
  const own = Object.keys(await withoutOwnPrograms(git, workspace));
  if (!own.some((key) => key.startsWith("filter."))) return;
  throw new CaretError("unsupported", "The repository's own settings name filters that decide what is committed", {
    fix: "Commit in a terminal: `git add` and `git commit` run them.",
  });
}

async function checkedBranch(git: Git, workspace: string, branch: string): Promise<string> {
  const { code } = await runGit(git, workspace, ["check-ref-format", "--branch", branch]);
  if (code === 0 && !branch.startsWith("-") && !branch.startsWith("@")) return branch;
  throw new CaretError("invalid-request", `${JSON.stringify(branch)} cannot be the name of a branch`);
}
