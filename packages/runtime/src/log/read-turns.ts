import type { EventStore, ReadOptions, StoredEvent } from "./event-store.ts";

/** An event can hold a megabyte. */
const PAGE = 50;

/** Groups events by turn. A session has at most one turn at a time, so a turn's events are adjacent. */
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

/** Every event after `afterSeq`, one page at a time: a session may be larger than memory. */
export async function* readAll(
  store: EventStore,
  sessionId: string,
  afterSeq = 0,
  options: Pick<ReadOptions, "raw"> = {},
): AsyncGenerator<StoredEvent, void, undefined> {
  let cursor = afterSeq;
  for (;;) {
    const page = await store.read(sessionId, { ...options, afterSeq: cursor, limit: PAGE });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    cursor = last.seq;
  }
}
