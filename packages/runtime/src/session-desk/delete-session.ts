import { CaretError } from "@caret/protocol";
import type { ScratchPlaces } from "../desk/scratch-places.ts";
import type { SessionRecord } from "../engine/event-store.ts";
import { freeSession } from "../engine/free-session.ts";
import type { SessionEngine } from "../engine/session-engine.ts";
import type { Attachments } from "./open-attachments.ts";

export interface DeleteSessionOptions {
  readonly engine: SessionEngine;
  readonly scratch: ScratchPlaces;
  readonly attachments: Attachments;
}

/** Delete a session and all that is only its own. Rejects with `session-busy` while a turn of it runs or begins. */
export async function deleteSession(options: DeleteSessionOptions, session: SessionRecord): Promise<void> {
  const { engine } = options;
  const turn = engine.runningTurn(session.id);
  if (turn !== undefined && session.lastTurn?.outcome === undefined)
    throw new CaretError("session-busy", `A turn of the session ${session.id} is still running`);
  // It has ended and only cleans up.
  await turn?.settled;
  await engine.holdSession(session.id, () => removeSession(options, session));
}

async function removeSession(
  { engine: { store }, scratch, attachments }: DeleteSessionOptions,
  session: SessionRecord,
): Promise<void> {
  await freeSession(store, session);
  await store.deleteSession(session.id);
  await attachments.removeSession(session.id);
  scratch.remove(scratch.besideWorkspace(session.id));
  if (!scratch.holds(session.workspace)) return;
  // A fork works in the same place.
  const [other] = await store.sessionIds({ workspace: session.workspace });
  if (other === undefined) scratch.remove(session.workspace);
}
