import { sep } from "node:path";

/** That a session works in a directory or below it. Compared letter by letter: a path may hold any wildcard. */
export const workspaceSql =
  "($workspace is null or workspace = $workspace or substr(workspace, 1, length($below)) = $below)";

export function workspaceParameters(workspace: string | undefined): {
  readonly $workspace: string | null;
  readonly $below: string | null;
} {
  if (workspace === undefined) return { $workspace: null, $below: null };
  return { $workspace: workspace, $below: workspace.endsWith(sep) ? workspace : workspace + sep };
}
