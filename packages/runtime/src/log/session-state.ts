import type { EventStore, SessionRecord } from "./event-store.ts";
import { noOpenParts, trackOpenParts } from "./interrupted-end.ts";
import { readAll } from "./read-turns.ts";

/** A session's state as any process can read it from the log. */
export type SessionState =
  | "new"
  | "running"
  | "waiting for you"
  | `waiting for ${string}`
  | "done"
  | "failed"
  | "stopped";

export async function sessionState(store: EventStore, session: SessionRecord): Promise<SessionState> {
  const { id, lastTurn, machineWait } = session;
  if (machineWait !== undefined) return `waiting for ${machineWait.machine}`;
  if (lastTurn === undefined) return "new";
  if (lastTurn.outcome === "completed") return "done";
  if (lastTurn.outcome !== undefined) return lastTurn.outcome === "failed" ? "failed" : "stopped";
  const [turn] = await store.runningTurns({ sessionId: id });
  // It has ended since, or its process died: the next reader will find its end.
  if (turn === undefined || !store.isOwnerAlive(turn.owner)) return "failed";
  const open = noOpenParts();
  for await (const { event } of readAll(store, id, turn.firstSeq - 1, { raw: false })) trackOpenParts(open, event);
  return open.asks.size > 0 ? "waiting for you" : "running";
}
