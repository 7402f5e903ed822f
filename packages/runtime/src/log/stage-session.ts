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
  /** All its events, oldest first. They happened elsewhere: their usage counts towards no day here. */
  readonly entries: AsyncIterable<EventEntry>;
  /** What is known about the session only after all events have been seen. */
  readonly changes?: () => SessionChanges;
}

/**
 * Creates a session from events of elsewhere: all or nothing. It is hidden until it is complete; what a crash leaves behind is removed by
 * the next gateway.
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
