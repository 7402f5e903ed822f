import type { StoredEvent } from "../engine/event-store.ts";

/** The events of one turn after the other. A session has at most one turn at a time, so they follow each other. */
export async function* groupTurns(
  events: AsyncIterable<StoredEvent>,
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  let turn: StoredEvent[] = [];
  for await (const stored of events) {
    if (turn.length > 0 && turn[0]?.turnId !== stored.turnId) {
      yield turn;
      turn = [];
    }
    turn.push(stored);
  }
  if (turn.length > 0) yield turn;
}
