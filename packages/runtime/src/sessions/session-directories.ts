import { type Caller, CaretError } from "@caret/protocol";
import type { CommandOptions, EventStore, SessionRecord } from "../log/event-store.ts";
import { allowedWorkspace } from "../paths/allowed-workspace.ts";
import { chooseWorkspace } from "../paths/choose-workspace.ts";
import { physicalPath, wayInside } from "../paths/physical-path.ts";
import type { SessionsOptions } from "./sessions-context.ts";

type WorkspaceOptions = Pick<SessionsOptions, "scratch" | "allowedWorkspaces" | "defaultWorkspace">;

/** The workspace of a new session: the requested one, else the caller's, else a new scratch directory. */
export function workspaceForNew(options: WorkspaceOptions, asked: string | undefined, caller: Caller): string {
  const { scratch, allowedWorkspaces, defaultWorkspace } = options;
  if (asked !== undefined) scratch.assertElsewhere(asked);
  const chosen = chooseWorkspace({ asked, bound: caller.workspace, fallback: defaultWorkspace });
  return chosen === undefined ? scratch.make("") : allowedWorkspace(chosen, allowedWorkspaces);
}

/** The workspace of an imported session: the same path if it exists and is allowed. */
export function workspaceForImported(options: WorkspaceOptions, theirs: string, caller: Caller): string {
  try {
    return workspaceForNew(options, theirs, caller);
  } catch (reason) {
    if (!CaretError.is(reason)) throw reason;
    return caller.workspace === undefined
      ? options.scratch.make("")
      : allowedWorkspace(caller.workspace, options.allowedWorkspaces);
  }
}

/** A directory of the user's that a caller may look into. */
export function visibleWorkspace(
  { allowedWorkspaces }: Pick<SessionsOptions, "allowedWorkspaces">,
  asked: string,
  caller: Caller,
): string {
  const chosen = chooseWorkspace({ asked, bound: caller.workspace, fallback: undefined });
  return allowedWorkspace(chosen ?? asked, allowedWorkspaces);
}

/** The physical path of the only workspace a caller may see; undefined: all of them. */
export function boundWorkspace({ workspace }: Caller): string | undefined {
  return workspace === undefined ? undefined : physicalPath(workspace);
}

/** Whether a caller that is bound to a workspace sees the session. */
export function isVisible({ workspace }: SessionRecord, bound: string | undefined): boolean {
  return bound === undefined || wayInside(bound, workspace) !== undefined;
}

/** What is to be recorded together with what is done for a caller. */
export function commandOf({ command }: Caller): CommandOptions {
  return command === undefined ? {} : { command };
}

/** Rejects with `session-not-found` also when it is only not for this caller. */
export async function findVisible(store: EventStore, sessionId: string, caller: Caller): Promise<SessionRecord> {
  const session = await store.getSession(sessionId);
  if (session !== undefined && isVisible(session, boundWorkspace(caller))) return session;
  throw new CaretError("session-not-found", `There is no session ${sessionId}`);
}
