import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The working trees that a workspace lies in: what their settings name can lie in the workspace. */
export function repositoriesAbove(workspace: string): readonly string[] {
  const parent = dirname(workspace);
  if (parent === workspace) return [];
  return [...(existsSync(join(parent, ".git")) ? [parent] : []), ...repositoriesAbove(parent)];
}
