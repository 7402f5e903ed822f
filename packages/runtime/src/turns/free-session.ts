import { CaretError } from "@caret/protocol";
import type { EventStore, SessionRecord } from "../log/event-store.ts";
import { interruptRunningTurns } from "../log/interrupted-end.ts";

/**
 * Frees a session of turns and returns its current record. The log is shared with other processes: a turn of a live process makes the
 * session busy; a turn whose process is gone is ended first. Call it only if this process runs no turn of the session.
 */
export async function freeSession(store: EventStore, session: SessionRecord): Promise<SessionRecord> {
  const turns = await store.runningTurns({ sessionId: session.id });
  if (turns.length === 0) return (await store.getSession(session.id)) ?? session;
  const isBusy = (owner: string): boolean => owner !== store.owner && store.isOwnerAlive(owner);
  if (turns.some(({ owner }) => isBusy(owner)))
    throw new CaretError("session-busy", `Another process runs a turn of the session ${session.id}`);
  await interruptRunningTurns(store, { sessionId: session.id, isAlive: isBusy });
  return (await store.getSession(session.id)) ?? session;
}
