import { CaretError } from "@caret/protocol";
import { allowedWorkspace, onlyWorkspaces } from "./allowed-workspace.ts";

/**
 * The workspace of a request: the requested one, else the token's, else the gateway's default.
 * Undefined: no workspace. A token that is bound to a workspace allows no other, whatever the request says.
 */
export function chooseWorkspace(workspaces: {
  readonly asked: string | undefined;
  readonly bound: string | undefined;
  readonly fallback: string | undefined;
}): string | undefined {
  const { asked, bound, fallback } = workspaces;
  if (bound === undefined) return asked ?? fallback;
  if (asked === undefined) return bound;
  try {
    return allowedWorkspace(asked, onlyWorkspaces([bound]));
  } catch (reason) {
    if (!CaretError.is(reason) || reason.code !== "workspace-forbidden") throw reason;
    throw new CaretError("workspace-forbidden", "The token is bound to another workspace", {
      fix: "Leave the workspace out, name one below the token's, or use another token.",
    });
  }
}
