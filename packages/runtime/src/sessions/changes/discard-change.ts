import type { DiscardHunk } from "@caret/protocol";
import type { Git } from "../../git/run-git.ts";
import type { Baseline } from "./baselines.ts";
import { discardHunk } from "./discard-hunk.ts";
import { assertPlain, formerFile } from "./former-file.ts";
import { sessionChanges } from "./session-changes.ts";

/** Takes one hunk of a session's changes back. Rejects, and changes nothing, where it is none of them any more. */
export async function discardChange(
  git: Git,
  workspace: string,
  baseline: Baseline | undefined,
  wanted: DiscardHunk,
): Promise<void> {
  const { files, since } = await sessionChanges(git, workspace, baseline);
  const before = since === "session" ? baseline : undefined;
  await assertPlain(git, workspace, wanted.path);
  await discardHunk(git, workspace, files, wanted, (path) => formerFile(git, workspace, before, path));
}
