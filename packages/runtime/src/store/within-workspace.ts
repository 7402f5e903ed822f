import { sep } from "node:path";

/** Whether a workspace is a directory or lies below it. Both are physical paths. */
export function isWithinWorkspace(workspace: string, directory: string): boolean {
  return workspace === directory || workspace.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
