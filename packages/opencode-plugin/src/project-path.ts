import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { ToolContext } from "./open-code.ts";

/** A path of a call: relative ones belong to the session's directory, `.` and nothing to it itself. */
export function inProject({ directory, worktree }: Pick<ToolContext, "directory" | "worktree">, path: string): string {
  return resolve(directory || worktree, path);
}

/** Whether a path is the directory or below it. */
export function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return !(way === ".." || way.startsWith("../") || isAbsolute(way));
}

/** As OpenCode's own tools do: what a user allows in the project is not allowed outside of it. */
export async function askOutside(context: ToolContext, target: string, kind: "file" | "directory"): Promise<void> {
  const { directory, worktree, ask } = context;
  // Without a repository OpenCode names the root of the file system here.
  const projects = [directory, worktree].filter((project) => project !== "" && project !== "/");
  if (projects.some((project) => isInside(project, target))) return;
  const parentDir = kind === "directory" ? target : dirname(target);
  const pattern = join(parentDir, "*");
  await ask({
    permission: "external_directory",
    patterns: [pattern],
    always: [pattern],
    metadata: { filepath: target, parentDir },
  });
}
