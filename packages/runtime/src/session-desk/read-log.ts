import { CaretError, type LogPage, type LogQuery } from "@caret/protocol";
import type { EventStore } from "../engine/event-store.ts";

const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 10_000;

/** A page of a session's log, oldest first. */
export async function readLog(store: EventStore, sessionId: string, query: LogQuery): Promise<LogPage> {
  const { after, before, limit = DEFAULT_LIMIT, raw = false } = query;
  if (after !== undefined && before !== undefined)
    throw new CaretError("invalid-request", "A page of the log is either after an event or before one, not both");
  const events = await store.read(sessionId, {
    limit: Math.min(Math.max(1, limit), MAX_LIMIT),
    raw,
    ...(before === undefined ? { afterSeq: after ?? 0 } : { beforeSeq: before }),
  });
  // Read last, so that no event of the page is beyond it.
  const session = await store.getSession(sessionId);
  return { events, lastSeq: Math.max(session?.lastSeq ?? 0, events.at(-1)?.seq ?? 0) };
}
