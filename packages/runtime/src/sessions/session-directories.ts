import { type Caller, CaretError } from "@caret/protocol";
import type { CommandOptions, EventStore, SessionRecord, SessionScope } from "../log/event-store.ts";
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

/**
 * What a caller may see. Every port asks here, and nothing else decides it: the sessions of its user, or of nobody where it has
 * none; of those, the ones in its workspace where it is bound to one.
 */
export function scopeOf({ workspace, user, seesAll }: Caller): SessionScope {
  return {
    ...(workspace === undefined ? {} : { workspace: physicalPath(workspace) }),
    ...(seesAll === true ? {} : { user: user ?? null }),
  };
}

/** Whether a session is one of those. */
export function isInScope(session: Pick<SessionRecord, "workspace" | "user">, scope: SessionScope): boolean {
  const { workspace } = scope;
  return isOfUser(session, scope) && (workspace === undefined || wayInside(workspace, session.workspace) !== undefined);
}

/** Whether something is the user's, or nobody's where that is asked for. */
export function isOfUser(thing: { readonly user?: string | undefined }, { user }: Pick<SessionScope, "user">): boolean {
  return user === undefined || (thing.user ?? null) === user;
}

/** Whose a thing is that is made for a caller. */
export function userOf({ user, team }: Caller): { readonly user?: string; readonly team?: string } {
  return { ...(user === undefined ? {} : { user }), ...(team === undefined ? {} : { team }) };
}

/** What is to be recorded together with what is done for a caller. */
export function commandOf({ command }: Caller): CommandOptions {
  return command === undefined ? {} : { command };
}

/** Rejects with `session-not-found` also when it is only not for this caller. */
export async function findVisible(store: EventStore, sessionId: string, caller: Caller): Promise<SessionRecord> {
  const session = await store.getSession(sessionId);
  if (session !== undefined && isInScope(session, scopeOf(caller))) return session;
  throw new CaretError("session-not-found", `There is no session ${sessionId}`);
}
