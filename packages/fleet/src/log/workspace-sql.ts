import { sep } from "node:path";

/** That a session works in a directory or below it. Compared letter by letter: a path may hold any wildcard. */
export function workspaceSql(workspace: string, below: string): string {
  return `(${workspace}::text is null or workspace = ${workspace} or starts_with(workspace, ${below}))`;
}

export function belowWorkspace(workspace: string | undefined): string | null {
  if (workspace === undefined) return null;
  return workspace.endsWith(sep) ? workspace : workspace + sep;
}
