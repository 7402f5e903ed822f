import { CaretError } from "@caret/protocol";
import { repositoryPrograms } from "./own-programs.ts";
import { type Git, type GitOptions, runGit } from "./run-git.ts";

/** Checking out or reading a large repository takes longer than a look at it. */
const LIMIT_MS = 120_000;

/** Run git, without programs that the repository names. Rejects with what git said unless it ends with an expected code. */
export type RunSafely = (args: readonly string[], options?: RunOptions) => Promise<{ code: number; text: string }>;

interface RunOptions extends Pick<GitOptions, "env" | "maxBytes" | "input" | "decoding"> {
  /** Exit codes that are answers; absent: only 0. */
  readonly codes?: readonly number[];
}

/** Git in the user's own checkout. */
export async function inRepository(git: Git, repository: string): Promise<RunSafely> {
  return await inPlace(git, repository, {});
}

/** Git in a directory whose repository these variables name, such as one within a worktree. */
export async function inPlace(
  git: Git,
  directory: string,
  where: Readonly<Record<string, string>>,
): Promise<RunSafely> {
  const { without, required } = await repositoryPrograms(git, directory, where);
  const settings = { ...required, ...without, "gc.auto": "0", "maintenance.auto": "false" };
  return async (args, { env = {}, codes = [0], ...rest } = {}) => {
    const { code, text, isCut, errors } = await runGit(git, directory, args, {
      settings,
      env: { ...where, ...env },
      limitMs: LIMIT_MS,
      ...rest,
    });
    if (code !== null && codes.includes(code) && !isCut) return { code, text };
    throw new CaretError("invalid-request", `Git could not do this: git ${args[0]} failed in ${directory}`, {
      upstream: errors.trim(),
      fix: "Read what Git said, correct it in the repository and try again.",
    });
  };
}
