import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { type RepositoryPrograms, repositoryPrograms } from "../git/own-programs.ts";
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

interface RunOptions extends Pick<GitOptions, "env" | "maxBytes" | "input" | "decoding" | "limitMs"> {
  /** Exit codes that are answers; absent: only 0. */
  readonly codes?: readonly number[];
}

interface OpenRepository {
  readonly run: RunSafely;
  /** Those that `run` is kept from, and those that it starts. */
  readonly programs: RepositoryPrograms;
}

/** Git in the user's own checkout, and the programs that it names. */
export async function openRepository(git: Git, repository: string): Promise<OpenRepository> {
  return await safely(git, repository, {});
}

/** Git in the user's own checkout. */
export async function inRepository(git: Git, repository: string): Promise<RunSafely> {
  return (await openRepository(git, repository)).run;
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
  const { run } = await safely(git, path, { GIT_DIR: admin, GIT_WORK_TREE: path });
  return { run, admin };
}

/** The same, for those who need nothing but git. */
export async function inWorktree(git: Git, worktree: Worktree): Promise<RunSafely> {
  return (await openWorktree(git, worktree)).run;
}

/** Git in a directory of another repository, such as one within a worktree, found as these variables say. */
export async function inPlace(
  git: Git,
  directory: string,
  where: Readonly<Record<string, string>>,
): Promise<RunSafely> {
  return (await safely(git, directory, where)).run;
}

async function safely(git: Git, cwd: string, where: Readonly<Record<string, string>>): Promise<OpenRepository> {
  const programs = await repositoryPrograms(git, cwd, where);
  const settings = { ...programs.required, ...programs.without, "gc.auto": "0", "maintenance.auto": "false" };
  const run: RunSafely = async (args, { env = {}, codes = [0], ...rest } = {}) => {
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
  return { run, programs };
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
