import { sep } from "node:path";
import type { SessionScope } from "../event-store.ts";

/** That a session works in a directory or below it. Compared letter by letter: a path may hold any wildcard. */
const workspaceSql = "($workspace is null or workspace = $workspace or substr(workspace, 1, length($below)) = $below)";

/** That a row is of the user that is asked for, or of nobody where that is asked for. */
export const userSql = "($anyUser = 1 or user_name is $user)";

/** That a session is one of those that the reader may see. */
export const scopeSql = `${workspaceSql} and ${userSql}`;

type UserParameters = { readonly $user: string | null; readonly $anyUser: 0 | 1 };

export function userParameters({ user }: Pick<SessionScope, "user">): UserParameters {
  return { $user: user ?? null, $anyUser: user === undefined ? 1 : 0 };
}

export function scopeParameters({ workspace, ...rest }: SessionScope): UserParameters & {
  readonly $workspace: string | null;
  readonly $below: string | null;
} {
  const of = userParameters(rest);
  if (workspace === undefined) return { $workspace: null, $below: null, ...of };
  return { $workspace: workspace, $below: workspace.endsWith(sep) ? workspace : workspace + sep, ...of };
}
