import type {
  CommandOptions,
  EventEntry,
  EventStore,
  NewSession,
  SessionChanges,
  SessionRecord,
} from "./event-store.ts";

const BATCH = 200;

export interface StagedSession {
  readonly session: NewSession;
  /** All its events, oldest first. They happened elsewhere: what they consumed counts towards no day here. */
  readonly entries: AsyncIterable<EventEntry>;
  /** What is known of the session only when all events have been seen. */
  readonly changes?: () => SessionChanges;
}

/**
 * Make a session out of events from elsewhere: all of it or none, whatever happens meanwhile. Until it is whole nobody sees
 * it; what a crash leaves is removed by the next gateway.
 */
export async function stageSession(
  store: EventStore,
  { session, entries, changes = () => ({}) }: StagedSession,
  options: CommandOptions = {},
): Promise<SessionRecord> {
  await store.createSession(session, { staged: true });
  try {
    await appendAll(store, session.id, entries);
    return await store.publishSession(session.id, changes(), options);
  } catch (reason) {
    await store.deleteSession(session.id);
    throw reason;
  }
}

async function appendAll(store: EventStore, id: string, entries: AsyncIterable<EventEntry>): Promise<void> {
  let written = 0;
  let batch: EventEntry[] = [];
  const flush = async (): Promise<void> => {
    await store.append(id, written, batch, { copied: true });
    written += batch.length;
    batch = [];
  };
  for await (const entry of entries) {
    batch.push(entry);
    if (batch.length === BATCH) await flush();
  }
  await flush();
}
