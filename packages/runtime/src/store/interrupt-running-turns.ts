import type { EventStore, RunningTurn } from "../engine/event-store.ts";
import { interruptedEnd, noOpenParts, type OpenParts, trackOpenParts } from "./interrupted-end.ts";
import { readAll } from "./read-all.ts";

/**
 * End every turn that was running when the gateway stopped. Call it at start-up, before any turn begins.
 * Returns the turns it ended.
 */
export async function interruptRunningTurns(store: EventStore): Promise<readonly RunningTurn[]> {
  const turns = await store.runningTurns();
  for (const turn of turns) await interruptTurn(store, turn);
  return turns;
}

/** Close what the turn left open and end it. Nobody may be writing to its session. */
export async function interruptTurn(store: EventStore, turn: RunningTurn): Promise<void> {
  const session = await store.getSession(turn.sessionId);
  if (session === undefined) return;
  const end = interruptedEnd(await openPartsOf(store, turn));
  const entries = end.map((event) => ({ turnId: turn.turnId, event }));
  await store.append(turn.sessionId, session.lastSeq, entries);
}

async function openPartsOf(store: EventStore, turn: RunningTurn): Promise<OpenParts> {
  const parts = noOpenParts();
  for await (const stored of readAll(store, turn.sessionId, turn.firstSeq - 1))
    if (stored.turnId === turn.turnId) trackOpenParts(parts, stored.event);
  return parts;
}
