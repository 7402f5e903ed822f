import { CaretError } from "@caret/protocol";
import type { RunSafely } from "../../git/run-safely.ts";
import { assertFinished } from "../../git/unfinished.ts";

/** Rejects while git is in the middle of something, and when it does not know who commits. */
export async function assertCommittable(run: RunSafely, workspace: string): Promise<void> {
  await assertFinished(run, workspace);
  for (const who of ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"])
    if ((await run(["var", who], { codes: [0, 1, 128] })).code !== 0)
      throw new CaretError("invalid-request", "Git does not know who commits", {
        fix: "Set your name and address on the gateway's machine: `git config --global user.name NAME`, `git config --global user.email ADDRESS`.",
      });
}

/** Rejects when a branch cannot have the name, or has it. */
export async function assertNewBranch(run: RunSafely, branch: string): Promise<void> {
  const isName = (await run(["check-ref-format", "--branch", branch], { codes: [0, 1, 128] })).code === 0;
  if (!isName || branch.startsWith("-") || branch.startsWith("@"))
    throw new CaretError("invalid-request", `${JSON.stringify(branch)} cannot be the name of a branch`);
  const { code } = await run(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`], { codes: [0, 1] });
  if (code === 0)
    throw new CaretError("invalid-request", `The repository has a branch ${branch} already`, {
      fix: "Choose another name, or leave it out to commit on the branch that is checked out.",
    });
}
