import { sep } from "node:path";
import type { SessionScope } from "@caret/runtime/log/event-store.ts";

/** The session works in or below a directory. Compares literally, since paths can contain wildcards. */
function workspaceSql(workspace: string, below: string): string {
  return `(${workspace}::text is null or workspace = ${workspace} or starts_with(workspace, ${below}))`;
}

/** The row belongs to the requested user, or to none if that was requested. Three variants, each of which uses an index. */
export function userSql(parameter: string, { user }: SessionScope): string {
  if (typeof user === "string") return `user_name = ${parameter}::text`;
  return `${parameter}::text is null${user === null ? " and user_name is null" : ""}`;
}

/** The reader may see the session. */
export function scopeSql(
  [workspace, below, user]: readonly [workspace: string, below: string, user: string],
  scope: SessionScope,
): string {
  return `${workspaceSql(workspace, below)} and ${userSql(user, scope)}`;
}

/** Values of the three parameters of `scopeSql`. */
export function scopeValues({ workspace, user }: SessionScope): readonly (string | null)[] {
  return [workspace ?? null, belowWorkspace(workspace), user ?? null];
}

function belowWorkspace(workspace: string | undefined): string | null {
  if (workspace === undefined) return null;
  return workspace.endsWith(sep) ? workspace : workspace + sep;
}
