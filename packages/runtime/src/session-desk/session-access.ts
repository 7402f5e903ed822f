import { CaretError, type SessionCaller } from "@caret/protocol";
import { physicalPath } from "../chats/workspace-hash.ts";
import type { CommandOptions, EventStore, SessionRecord } from "../engine/event-store.ts";
import { wayInside } from "../paths/way-inside.ts";

/** The physical path of the only workspace a caller may see; undefined: all of them. */
export function boundPlace({ workspace }: SessionCaller): string | undefined {
  return workspace === undefined ? undefined : physicalPath(workspace);
}

/** Whether a session exists for whoever is bound to a place. */
export function isVisible({ workspace }: SessionRecord, place: string | undefined): boolean {
  return place === undefined || wayInside(place, workspace) !== undefined;
}

/** What is to be recorded together with what is done for a caller. */
export function commandOf({ command }: SessionCaller): CommandOptions {
  return command === undefined ? {} : { command };
}

/** Rejects with `session-not-found` also when it is only not for this caller. */
export async function findVisible(store: EventStore, sessionId: string, caller: SessionCaller): Promise<SessionRecord> {
  const session = await store.getSession(sessionId);
  if (session !== undefined && isVisible(session, boundPlace(caller))) return session;
  throw new CaretError("session-not-found", `There is no session ${sessionId}`);
}
