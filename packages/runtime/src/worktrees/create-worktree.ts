import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { createKeyedLock } from "../async/keyed-lock.ts";
import { assertUnfiltered } from "../git/assert-unfiltered.ts";
import { splitPaths } from "../git/byte-path.ts";
import type { RepositoryPrograms } from "../git/own-programs.ts";
import { type Git, runGit } from "../git/run-git.ts";
import { openRepository, type RunSafely } from "../git/run-safely.ts";
import { withIndexOf } from "../git/with-index-of.ts";
import { makePrivateDirectory } from "../paths/private-files.ts";
import type { Worktree } from "./worktree.ts";

/** A line for every file of the repository. */
const MOST_LISTED = 256 * 1024 * 1024;

/** The branch of an agent's worktree. */
export function branchOf(name: string): string {
  return `caret/${name}`;
}

/** The top of the checkout that a directory lies in. Rejects with `invalid-request` when it lies in none. */
export async function findRepository(git: Git, directory: string): Promise<string> {
  const { code, text } = await runGit(git, directory, ["rev-parse", "--path-format=absolute", "--show-toplevel"]);
  if (code === 0 && text.trim() !== "") return realpathSync(text.replace(/\n$/, ""));
  throw new CaretError("invalid-request", `${directory} is not in a Git repository with a checkout`, {
    fix: "Name the directory of a repository, or use --workspace instead of --worktree.",
  });
}

export interface CreateWorktree {
  /** The top of the user's checkout, as `findRepository` gives it. */
  readonly repository: string;
  /** Names the branch and the directory. */
  readonly name: string;
  /** Where Caret keeps worktrees. */
  readonly root: string;
}

/** One at a time in a repository: git reads those of others first, and fails at one that is half made. */
const adding = createKeyedLock();

/**
 * A worktree at the commit that is checked out in the repository, on a new branch. No hook and no filter of the repository runs: where
 * one decides what a file holds, the worktree would have cipher text, or pointers, and is refused.
 */
export async function createWorktree(git: Git, { repository, name, root }: CreateWorktree): Promise<Worktree> {
  const branch = branchOf(name);
  makePrivateDirectory(root);
  const path = join(realpathSync(root), name);
  const { run, programs } = await openRepository(git, repository);
  await assertCommit(git, repository);
  if (existsSync(path)) throw taken(`There is a directory ${path} already`, `rm -r ${path}`);
  if (await hasBranch(git, repository, branch))
    throw taken(`The repository has a branch ${branch} already`, `git branch -D ${branch}`);
  await assertReadable(run, programs);
  const args = ["worktree", "add", "--quiet", "--no-track", "-b", branch, "--", path, "HEAD"];
  await adding.run(repository, () => run(args));
  return { repository, path, branch };
}

async function assertCommit(git: Git, repository: string): Promise<void> {
  const head = await runGit(git, repository, ["rev-parse", "--verify", "--quiet", "HEAD"]);
  if (head.code === 0) return;
  throw new CaretError("invalid-request", `The repository ${repository} has no commit yet`, {
    fix: "Commit something first: a worktree begins at a commit.",
  });
}

async function assertReadable(run: RunSafely, { ownFilters }: RepositoryPrograms): Promise<void> {
  if (ownFilters.size === 0) return;
  await withIndexOf(run, "HEAD", async (env) => {
    const { text } = await run(["ls-files", "-z"], { env, decoding: "latin1", maxBytes: MOST_LISTED });
    await assertUnfiltered(run, {
      runs: (name) => !ownFilters.has(name),
      paths: splitPaths(text),
      isCached: true,
      env,
      fix: "Set the filter up for your user instead (`git config --global`), or work in the checkout with --workspace.",
    });
  });
}

async function hasBranch(git: Git, repository: string, branch: string): Promise<boolean> {
  return (await runGit(git, repository, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`])).code === 0;
}

function taken(message: string, command: string): CaretError {
  return new CaretError("invalid-request", message, {
    fix: `Choose another name; or look at what is there and remove it with \`${command}\`.`,
  });
}
