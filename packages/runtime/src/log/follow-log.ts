import { createDoorbell } from "../async/doorbell.ts";
import type { ForeignTicks } from "../sessions/foreign-ticks.ts";
import { type EventStore, lengthOfEvent, type StoredEvent } from "./event-store.ts";

/** A reader that has this much waiting is too slow: it goes on from the log instead of from memory. */
const MAX_WAITING = 200;
const MAX_WAITING_CHARACTERS = 256 * 1024;
/** An event may hold a megabyte. */
const PAGE = 50;
/** A raw line may be long, too. */
const PAGE_WITH_RAW = 20;

export interface FollowLogOptions {
  readonly store: EventStore;
  readonly ticks: ForeignTicks;
  readonly sessionId: string;
  readonly after: number;
  readonly raw: boolean;
  readonly signal: AbortSignal;
}

/**
 * Every committed event of a session after `after`, once and in order, until the signal or until the session is deleted.
 *
 * It is in one of two states. *Behind*: what comes next may be only in the log, which is read page by page; entered at
 * the beginning, when the reader is slow, when another process wrote, and when a number is missing. *Up to date*: what is
 * committed here comes from memory; entered when a page was not full.
 */
export async function* followLog(options: FollowLogOptions): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  const { store, sessionId, signal } = options;
  const bell = createDoorbell();
  const inbox = createInbox();
  const leave = listen(options, inbox, bell.ring);
  const isGone = async (): Promise<boolean> => (await store.getSession(sessionId)) === undefined;
  let seq = options.after;
  try {
    while (!signal.aborted) {
      const batch = inbox.isBehind() ? await readPage(options, seq, inbox) : inbox.take(seq);
      const last = batch.at(-1);
      if (last !== undefined) {
        seq = last.seq;
        yield batch;
        continue;
      }
      if (inbox.isBehind()) continue;
      if (await isGone()) return;
      await bell.rung();
    }
  } finally {
    leave();
  }
}

function listen(
  { store, ticks, sessionId, raw, signal }: FollowLogOptions,
  inbox: Inbox,
  ring: () => void,
): () => void {
  const ends = [
    store.subscribe(sessionId, (events) => inbox.put(raw ? events : events.map(withoutRaw))),
    // It hears of the session's end, too.
    store.watch((changed) => changed === sessionId && ring()),
    ticks.add(() => {
      inbox.fallBehind();
      ring();
    }),
  ];
  signal.addEventListener("abort", ring, { once: true });
  return () => {
    signal.removeEventListener("abort", ring);
    for (const end of ends) end();
  };
}

async function readPage(
  { store, sessionId, raw }: FollowLogOptions,
  seq: number,
  inbox: Inbox,
): Promise<readonly StoredEvent[]> {
  const limit = raw ? PAGE_WITH_RAW : PAGE;
  // From here on arrivals are kept; whether they are enough is known when the page turns out to be the last.
  inbox.catchUp();
  const page = await store.read(sessionId, { afterSeq: seq, limit, raw });
  if (page.length === limit) inbox.fallBehind();
  return page;
}

function withoutRaw({ raw, rawCut, ...stored }: StoredEvent): StoredEvent {
  return stored;
}

interface Inbox {
  put(events: readonly StoredEvent[]): void;
  /** What follows `seq`. Nothing, and behind, when there is a gap. */
  take(seq: number): readonly StoredEvent[];
  isBehind(): boolean;
  fallBehind(): void;
  catchUp(): void;
}

function createInbox(): Inbox {
  let waiting: StoredEvent[] = [];
  let characters = 0;
  let behind = true;
  const empty = (): void => {
    waiting = [];
    characters = 0;
  };
  const fallBehind = (): void => {
    empty();
    behind = true;
  };
  return {
    put(events) {
      if (behind) return;
      for (const { event, raw } of events) characters += lengthOfEvent(event) + (raw?.length ?? 0);
      if (waiting.length + events.length > MAX_WAITING || characters > MAX_WAITING_CHARACTERS) fallBehind();
      else waiting.push(...events);
    },
    take(seq) {
      const fresh = waiting.filter((stored) => stored.seq > seq);
      empty();
      const first = fresh[0]?.seq ?? seq + 1;
      if (first === seq + 1) return fresh;
      behind = true;
      return [];
    },
    isBehind: () => behind,
    fallBehind,
    catchUp() {
      behind = false;
    },
  };
}
