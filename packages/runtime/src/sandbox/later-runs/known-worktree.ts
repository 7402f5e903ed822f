import { closeSync, existsSync, fstatSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { wayInside } from "../../paths/physical-path.ts";
import { openByTrueName } from "../true-name.ts";

/** Whether a file `.git` leads to a repository out of the agent's reach which knows the working tree, as Caret has told it. */
export function isKnownWorktree(workspace: string, path: string): boolean {
  const file = join(workspace, path);
  const admin = /^gitdir: (\/[^\n]+)\n$/.exec(readPlain(file))?.[1];
  if (basename(path) !== ".git" || admin === undefined || basename(dirname(admin)) !== "worktrees") return false;
  const way = wayInside(workspace, admin);
  if (way !== undefined && !way.startsWith(".git/")) return false;
  const back = join(admin, "gitdir");
  return existsSync(back) && readFileSync(back, "utf8") === `${file}\n`;
}

function readPlain(file: string): string {
  const descriptor = openByTrueName(file);
  if (descriptor === undefined) return "";
  try {
    const stat = fstatSync(descriptor);
    return stat.isFile() && stat.size < 10_000 ? readFileSync(descriptor, "utf8") : "";
  } finally {
    closeSync(descriptor);
  }
}
