import { existsSync } from "node:fs";
import { CaretError } from "@caret/protocol";
import type { RunSafely } from "./run-safely.ts";

/** What git keeps in its directory while something is unfinished, and the command that it belongs to. */
const UNFINISHED: Readonly<Record<string, string>> = {
  MERGE_HEAD: "merge",
  CHERRY_PICK_HEAD: "cherry-pick",
  REVERT_HEAD: "revert",
  "rebase-merge": "rebase",
  "rebase-apply": "rebase",
};

/** The command that a checkout is in the middle of. */
export async function unfinishedCommand(run: RunSafely): Promise<string | undefined> {
  const names = Object.keys(UNFINISHED);
  const paths = names.flatMap((name) => ["--git-path", name]);
  const { text } = await run(["rev-parse", "--path-format=absolute", ...paths]);
  const found = text.split("\n").findIndex((path) => path !== "" && existsSync(path));
  return UNFINISHED[names[found] ?? ""];
}

/** Rejects while git is in the middle of something: a commit that is put under it would take its message, or its way back. */
export async function assertFinished(run: RunSafely, checkout: string): Promise<void> {
  const command = await unfinishedCommand(run);
  if (command === undefined) return;
  throw new CaretError("invalid-request", `A ${command} is unfinished in ${checkout}`, {
    fix: `Finish it in a terminal with \`git ${command} --continue\`, or take it back with \`git ${command} --abort\`, and try again.`,
  });
}
