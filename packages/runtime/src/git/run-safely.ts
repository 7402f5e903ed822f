import { CaretError } from "@caret/protocol";
import { type RepositoryPrograms, repositoryPrograms } from "./own-programs.ts";
import { type Git, type GitOptions, runGit } from "./run-git.ts";

/** Checking out or reading a large repository takes longer than a look at it. */
const LIMIT_MS = 120_000;

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
