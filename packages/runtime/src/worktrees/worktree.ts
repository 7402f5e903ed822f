import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { type Git, runGit } from "../git/run-git.ts";
import { inPlace, type RunSafely } from "../git/run-safely.ts";

/** A worktree of the user's repository that Caret has made, under its state directory. */
export interface Worktree {
  /** The top of the user's own checkout. */
  readonly repository: string;
  readonly path: string;
  readonly branch: string;
}

interface OpenWorktree {
  readonly run: RunSafely;
  /** Where the repository keeps what it knows of the worktree, as `adminDirectory` gives it. */
  readonly admin: string;
}

/**
 * Git in a worktree. Its repository is given by the environment: the file `.git` in a worktree is the agent's to write, and could
 * name another repository.
 */
export async function openWorktree(git: Git, { repository, path }: Worktree): Promise<OpenWorktree> {
  const admin = await adminDirectory(git, repository, path);
  const run = await inPlace(git, path, { GIT_DIR: admin, GIT_WORK_TREE: path });
  return { run, admin };
}

/** The same, for those who need nothing but git. */
export async function inWorktree(git: Git, worktree: Worktree): Promise<RunSafely> {
  return (await openWorktree(git, worktree)).run;
}

/** Where the repository keeps what it knows of a worktree: `.git/worktrees/NAME`. Rejects with `workspace-missing`. */
export async function adminDirectory(git: Git, repository: string, path: string): Promise<string> {
  const { code, text } = await runGit(git, repository, ["rev-parse", "--path-format=absolute", "--git-common-dir"]);
  const found = code === 0 ? findAdminDirectory(text.trim(), path) : undefined;
  if (found !== undefined) return found;
  throw new CaretError("workspace-missing", `The repository ${repository} does not know the worktree ${path}`, {
    fix: "Remove the agent and create it again; what the worktree holds can be copied from there first.",
  });
}

function findAdminDirectory(common: string, path: string): string | undefined {
  const parent = join(common, "worktrees");
  const names = listNames(parent).filter((name) => readLine(join(parent, name, "gitdir")) === join(path, ".git"));
  return names[0] === undefined ? undefined : join(realpathSync(parent), names[0]);
}

function listNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // a repository without worktrees has no such directory
  }
}

function readLine(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined; // removed meanwhile, or no worktree's
  }
}
