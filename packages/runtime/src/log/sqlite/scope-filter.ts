import { sep } from "node:path";
import type { SessionScope } from "../event-store.ts";

/** Whether a session works in a directory or below it. Compared literally: a path may contain wildcards. */
const workspaceSql = "($workspace is null or workspace = $workspace or substr(workspace, 1, length($below)) = $below)";

/** Whether a row belongs to the requested user, or to the gateway's own user if null is requested. */
export const userSql = "($anyUser = 1 or user_name is $user)";

/** Whether the reader may see a session. */
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
