import type { Git } from "../../git/run-git.ts";
import { inRepository } from "../../worktrees/worktree.ts";
import type { Baseline } from "./baselines.ts";

/** What Git knows a file as: `100644`, `100755` where it is a program, `120000` for a link. */
export type GitMode = string;

/** Of a file as the session found it, or as the last commit has it. Undefined when it was not there. */
export async function modeBefore(
  git: Git,
  workspace: string,
  baseline: Baseline | undefined,
  path: string,
): Promise<GitMode | undefined> {
  const run = await inRepository(git, workspace);
  const objects = baseline === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(baseline.objects) };
  const { text } = await run(["ls-tree", "-z", baseline?.tree ?? "HEAD", "--", path], { env: objects });
  return /^(\d{6}) /.exec(text)?.[1];
}
