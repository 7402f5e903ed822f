import type { AnswerArchive } from "../answers/answer-archive.ts";
import type { ScratchPlaces } from "../desk/scratch-places.ts";
import type { DeleteOptions, EventStore } from "../engine/event-store.ts";
import { freeSession } from "../engine/free-session.ts";
import type { Attachments } from "./open-attachments.ts";

/** Where there is anything of a session. */
export interface SessionBelongings {
  readonly store: EventStore;
  readonly scratch: ScratchPlaces;
  readonly attachments: Attachments;
  readonly answers?: Pick<AnswerArchive, "removeSession"> | undefined;
}

/**
 * Delete a session and all that is only its own: its events, the images of its prompts, the answers that
 * clients may refer to, its directories of ours. The one way
 * to do it, for the gateway and for commands beside it. Rejects with `session-busy` while a turn of it runs, in whichever
 * process; a turn whose process died is ended first. Says whether there was one (that fits).
 */
export async function removeSession(
  { store, scratch, attachments, answers }: SessionBelongings,
  sessionId: string,
  options: DeleteOptions = {},
): Promise<boolean> {
  const session = await store.getSession(sessionId);
  if (session === undefined) return false;
  await freeSession(store, session);
  if (!(await store.deleteSession(sessionId, options))) return false;
  await attachments.removeSession(sessionId);
  answers?.removeSession(sessionId);
  scratch.removeBeside(sessionId);
  if (!scratch.holds(session.workspace)) return true;
  // A fork works in the same place.
  const [other] = await store.sessionIds({ workspace: session.workspace });
  if (other === undefined) scratch.remove(session.workspace);
  return true;
}
