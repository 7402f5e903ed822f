import { CaretError } from "@caret/protocol";
import { allowedWorkspace, onlyWorkspaces } from "./allowed-workspace.ts";

/**
 * Where a request works: where it says, else where its token is bound to, else where the gateway works by default.
 * Undefined: nowhere in particular. A token that is bound to a place leads nowhere else, whatever the request says.
 */
export function chooseWorkspace(places: {
  readonly asked: string | undefined;
  readonly bound: string | undefined;
  readonly fallback: string | undefined;
}): string | undefined {
  const { asked, bound, fallback } = places;
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
