import type { EventStore, ReadOptions, StoredEvent } from "../engine/event-store.ts";

/** An event may hold a megabyte. */
const PAGE = 50;

/** Every event after `afterSeq`, a page at a time: a session may be larger than memory. */
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
