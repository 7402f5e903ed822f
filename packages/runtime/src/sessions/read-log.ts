import { CaretError, type LogPage, type LogQuery } from "@caret/protocol";
import type { EventStore, ReadOptions, StoredEvent } from "../log/event-store.ts";

const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 10_000;
/** An event may hold a megabyte. What is more than this is another page's, however few events it is. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** What is read at once, since only then its size is known. */
const CHUNK = 100;

/** A page of a session's log, oldest first. It has fewer events than were asked for when they are large. */
export async function readLog(store: EventStore, sessionId: string, query: LogQuery): Promise<LogPage> {
  const { after, before, limit = DEFAULT_LIMIT, raw = false } = query;
  if (after !== undefined && before !== undefined)
    throw new CaretError("invalid-request", "A page of the log is either after an event or before one, not both");
  const events = await readUpTo(store, sessionId, {
    limit: Math.min(Math.max(1, limit), MAX_LIMIT),
    raw,
    ...(before === undefined ? { afterSeq: after ?? 0 } : { beforeSeq: before }),
  });
  // Read last, so that no event of the page is beyond it.
  const session = await store.getSession(sessionId);
  return { events, lastSeq: Math.max(session?.lastSeq ?? 0, events.at(-1)?.seq ?? 0) };
}

async function readUpTo(
  store: EventStore,
  sessionId: string,
  { limit, ...wanted }: ReadOptions & { readonly limit: number },
): Promise<readonly StoredEvent[]> {
  let events: readonly StoredEvent[] = [];
  let characters = 0;
  while (events.length < limit && characters < MAX_CHARACTERS) {
    const most = Math.min(CHUNK, limit - events.length);
    const chunk = await store.read(sessionId, { ...wanted, ...nextRange(wanted, events), limit: most });
    events = wanted.beforeSeq === undefined ? [...events, ...chunk] : [...chunk, ...events];
    characters += chunk.reduce((sum, stored) => sum + JSON.stringify(stored).length, 0);
    if (chunk.length < most) break;
  }
  return events;
}

function nextRange({ beforeSeq }: ReadOptions, events: readonly StoredEvent[]): ReadOptions {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) return {};
  return beforeSeq === undefined ? { afterSeq: last.seq } : { beforeSeq: first.seq };
}
