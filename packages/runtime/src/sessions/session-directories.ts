import { type Caller, CaretError } from "@caret/protocol";
import type { CommandOptions, EventStore, SessionRecord } from "../log/event-store.ts";
import { allowedWorkspace } from "../paths/allowed-workspace.ts";
import { chooseWorkspace } from "../paths/choose-workspace.ts";
import { physicalPath, wayInside } from "../paths/way-inside.ts";
import type { SessionsOptions } from "./sessions-context.ts";

type PlaceOptions = Pick<SessionsOptions, "scratch" | "allowedWorkspaces" | "defaultWorkspace">;

/** Where a new session works: where it says, else where its caller belongs, else in an empty directory of its own. */
export function placeForNew(options: PlaceOptions, asked: string | undefined, caller: Caller): string {
  const { scratch, allowedWorkspaces, defaultWorkspace } = options;
  if (asked !== undefined) scratch.assertElsewhere(asked);
  const chosen = chooseWorkspace({ asked, bound: caller.workspace, fallback: defaultWorkspace });
  return chosen === undefined ? scratch.make("") : allowedWorkspace(chosen, allowedWorkspaces);
}

/** Where a session from elsewhere works: at the same place if there is one and turns may work there. */
export function placeForImported(options: PlaceOptions, theirs: string, caller: Caller): string {
  try {
    return placeForNew(options, theirs, caller);
  } catch (reason) {
    if (!CaretError.is(reason)) throw reason;
    return caller.workspace === undefined
      ? options.scratch.make("")
      : allowedWorkspace(caller.workspace, options.allowedWorkspaces);
  }
}

/** A directory of the user's that a caller may look into. */
export function visiblePlace(
  { allowedWorkspaces }: Pick<SessionsOptions, "allowedWorkspaces">,
  asked: string,
  caller: Caller,
): string {
  const place = chooseWorkspace({ asked, bound: caller.workspace, fallback: undefined });
  return allowedWorkspace(place ?? asked, allowedWorkspaces);
}

/** The physical path of the only workspace a caller may see; undefined: all of them. */
export function boundPlace({ workspace }: Caller): string | undefined {
  return workspace === undefined ? undefined : physicalPath(workspace);
}

/** Whether a session exists for whoever is bound to a place. */
export function isVisible({ workspace }: SessionRecord, place: string | undefined): boolean {
  return place === undefined || wayInside(place, workspace) !== undefined;
}

/** What is to be recorded together with what is done for a caller. */
export function commandOf({ command }: Caller): CommandOptions {
  return command === undefined ? {} : { command };
}

/** Rejects with `session-not-found` also when it is only not for this caller. */
export async function findVisible(store: EventStore, sessionId: string, caller: Caller): Promise<SessionRecord> {
  const session = await store.getSession(sessionId);
  if (session !== undefined && isVisible(session, boundPlace(caller))) return session;
  throw new CaretError("session-not-found", `There is no session ${sessionId}`);
}
