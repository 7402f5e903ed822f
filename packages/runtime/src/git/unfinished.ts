import { existsSync } from "node:fs";
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
