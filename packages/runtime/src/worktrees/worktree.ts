import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { repositoryPrograms } from "../git/own-programs.ts";
import { type Git, type GitOptions, runGit } from "../git/run-git.ts";

/** Checking out or reading a large repository takes longer than a look at it. */
const LIMIT_MS = 120_000;

/** A worktree of the user's repository that Caret has made, under its state directory. */
export interface Worktree {
  /** The top of the user's own checkout. */
  readonly repository: string;
  readonly path: string;
  readonly branch: string;
}

/** Run git, without programs that the repository names. Rejects with what git said unless it ends with an expected code. */
export type RunSafely = (args: readonly string[], options?: RunOptions) => Promise<{ code: number; text: string }>;

interface RunOptions extends Pick<GitOptions, "env" | "maxBytes" | "input" | "decoding"> {
  /** Exit codes that are answers; absent: only 0. */
  readonly codes?: readonly number[];
}

/** Git in the user's own checkout. */
export async function inRepository(git: Git, repository: string): Promise<RunSafely> {
  return await safely(git, repository, {});
}

/**
 * Git in a worktree. Its repository is given by the environment: the file `.git` in a worktree is the agent's to write, and could
 * name another repository.
 */
export async function inWorktree(git: Git, { repository, path }: Worktree): Promise<RunSafely> {
  return await safely(git, path, { GIT_DIR: await adminDirectory(git, repository, path), GIT_WORK_TREE: path });
}

/** Git in a directory of another repository, such as one within a worktree, found as these variables say. */
export async function inPlace(
  git: Git,
  directory: string,
  where: Readonly<Record<string, string>>,
): Promise<RunSafely> {
  return await safely(git, directory, where);
}

async function safely(git: Git, cwd: string, where: Readonly<Record<string, string>>): Promise<RunSafely> {
  const { without, required } = await repositoryPrograms(git, cwd, where);
  const settings = { ...required, ...without, "gc.auto": "0", "maintenance.auto": "false" };
  return async (args, { env = {}, codes = [0], ...rest } = {}) => {
    const { code, text, isCut, errors } = await runGit(git, cwd, args, {
      settings,
      env: { ...where, ...env },
      limitMs: LIMIT_MS,
      ...rest,
    });
    if (code !== null && codes.includes(code) && !isCut) return { code, text };
    throw new CaretError("invalid-request", `Git could not do this: git ${args[0]} failed in ${cwd}`, {
      upstream: errors.trim(),
      fix: "Read what Git said, correct it in the repository and try again.",
    });
  };
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
