import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type BytePath, onDisk } from "../../git/byte-path.ts";
import { wayInside } from "../../paths/physical-path.ts";
import { readByTrueName } from "../true-name.ts";

const MAX_BYTES = 10_000;

/** Whether a file `.git` leads to a repository out of the agent's reach which knows the working tree, as Caret has told it. */
export function isKnownWorktree(workspace: string, path: BytePath): boolean {
  const file = onDisk(workspace, path);
  const admin = /^gitdir: (\/[^\n]+)\n$/.exec(readByTrueName(file, MAX_BYTES)?.toString() ?? "")?.[1];
  if (basename(path) !== ".git" || admin === undefined || basename(dirname(admin)) !== "worktrees") return false;
  const way = wayInside(workspace, admin);
  if (way !== undefined && !way.startsWith(".git/")) return false;
  const back = join(admin, "gitdir");
  return existsSync(back) && readFileSync(back).equals(Buffer.concat([file, Buffer.from("\n")]));
}
