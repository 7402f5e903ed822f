import { resolve } from "node:path";
import type { ToolContext } from "./open-code.ts";

/** A path of a call: relative ones belong to the session's directory, `.` and nothing to it itself. */
export function inProject({ directory, worktree }: Pick<ToolContext, "directory" | "worktree">, path: string): string {
  return resolve(directory || worktree, path);
}
