import { CaretError } from "@caret/protocol";
import type {
  CommandOptions,
  EventEntry,
  EventStore,
  NewSession,
  SessionRecord,
  StoredEvent,
} from "../engine/event-store.ts";
import { readAll } from "../store/read-all.ts";
import { stageSession } from "../store/stage-session.ts";

export interface ForkOptions extends CommandOptions {
  readonly source: SessionRecord;
  /** The last event that is copied: the end of a turn. */
  readonly throughSeq: number;
  readonly session: NewSession;
}

/** A new session with the events of another one, all of them or none. Its upstream has yet to hear of them. */
export async function forkSession(
  store: EventStore,
  { source, throughSeq, session, ...options }: ForkOptions,
): Promise<SessionRecord> {
  return await stageSession(store, { session, entries: entriesOf(store, source.id, throughSeq) }, options);
}

/** Through which event a session is copied: the one that was asked for, else the end of its last turn that has ended. */
export async function forkPoint(
  store: EventStore,
  { id, lastSeq }: SessionRecord,
  asked: number | undefined,
): Promise<number> {
  if (asked === undefined) {
    const [running] = await store.runningTurns({ sessionId: id });
    return running === undefined ? lastSeq : running.firstSeq - 1;
  }
  const [event] = asked < 1 ? [] : await store.read(id, { afterSeq: asked - 1, limit: 1, raw: false });
  if (event?.event.type === "turn-end") return asked;
  throw new CaretError("invalid-request", `Event ${asked} is not the last of a turn`, {
    fix: "Name the `seq` of a `turn-end`, or leave it out.",
  });
}

async function* entriesOf(
  store: EventStore,
  from: string,
  throughSeq: number,
): AsyncGenerator<EventEntry, void, undefined> {
  if (throughSeq === 0) return;
  for await (const stored of readAll(store, from)) {
    yield toEntry(stored);
    if (stored.seq === throughSeq) return;
  }
  throw new CaretError("session-not-found", `The session ${from} was deleted while it was copied`);
}

function toEntry({ sessionId, seq, ...entry }: StoredEvent): EventEntry {
  return entry;
}
