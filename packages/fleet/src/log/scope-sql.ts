import { sep } from "node:path";
import type { SessionScope } from "@caret/runtime/log/event-store.ts";

/** That a session works in a directory or below it. Compared letter by letter: a path may hold any wildcard. */
function workspaceSql(workspace: string, below: string): string {
  return `(${workspace}::text is null or workspace = ${workspace} or starts_with(workspace, ${below}))`;
}

/** That a row is of the user that is asked for, or of nobody where that is asked for. Three statements: each has an index. */
export function userSql(parameter: string, { user }: SessionScope): string {
  if (typeof user === "string") return `user_name = ${parameter}::text`;
  return `${parameter}::text is null${user === null ? " and user_name is null" : ""}`;
}

/** That a session is one of those that the reader may see. */
export function scopeSql(
  [workspace, below, user]: readonly [workspace: string, below: string, user: string],
  scope: SessionScope,
): string {
  return `${workspaceSql(workspace, below)} and ${userSql(user, scope)}`;
}

/** The values of the three parameters. */
export function scopeValues({ workspace, user }: SessionScope): readonly (string | null)[] {
  return [workspace ?? null, belowWorkspace(workspace), user ?? null];
}

function belowWorkspace(workspace: string | undefined): string | null {
  if (workspace === undefined) return null;
  return workspace.endsWith(sep) ? workspace : workspace + sep;
}
