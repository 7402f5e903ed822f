import { CaretError } from "@caret/protocol";
import type { EventStore, SessionRecord } from "../log/event-store.ts";
import { interruptRunningTurns } from "../log/interrupted-end.ts";

/**
 * A session that no turn runs in, as it stands then. The log is shared with other processes: a turn of a living one makes
 * the session busy, a turn whose process is gone is ended first. Call it only when this process runs no turn of it.
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
