import type { EventStore, StoredEvent } from "./event-store.ts";

/** A follower that has this much waiting is too slow: it goes on from the log instead of from memory. */
const MAX_WAITING = 200;
const MAX_WAITING_CHARACTERS = 128 * 1024;
/** Small, because an event of a flooding agent may be large, and a reader that has caught up is back in memory. */
const PAGE = 20;

export interface FollowOptions {
  readonly store: EventStore;
  readonly sessionId: string;
  readonly turnId: string;
  readonly afterSeq: number;
  readonly signal?: AbortSignal;
}

/**
 * Every committed event of a turn after `afterSeq`, once and in order, until its end. Subscribes before it reads, so that
 * nothing falls between the two; what a slow reader misses in memory it finds in the log.
 */
export async function* followEvents(options: FollowOptions): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  const { store, sessionId, signal } = options;
  const inbox = createInbox();
  const unsubscribe = store.subscribe(sessionId, inbox.put);
  const onAbort = (): void => inbox.wake();
  signal?.addEventListener("abort", onAbort, { once: true });
  let seq = options.afterSeq;
  try {
    while (signal?.aborted !== true) {
      const batch = inbox.isBehind() ? await readPage(options, seq, inbox) : inbox.take();
      const fresh = batch.filter((stored) => stored.seq > seq);
      seq = fresh.at(-1)?.seq ?? seq;
      const ours = fresh.filter(({ turnId }) => turnId === options.turnId);
      if (ours.length > 0) yield ours;
      if (ours.some(isEnd)) return;
      if (fresh.length === 0) await inbox.arrival();
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
    unsubscribe();
  }
}

function isEnd({ event }: StoredEvent): boolean {
  return event.type === "turn-end";
}

async function readPage(
  { store, sessionId }: FollowOptions,
  seq: number,
  inbox: Inbox,
): Promise<readonly StoredEvent[]> {
  // From here on arrivals are kept; whether they are enough is known when the page turns out to be the last.
  inbox.caughtUp();
  const page = await store.read(sessionId, { afterSeq: seq, limit: PAGE });
  if (page.length === PAGE) inbox.fallBehind();
  return page;
}

interface Inbox {
  put(events: readonly StoredEvent[]): void;
  take(): readonly StoredEvent[];
  /** Whether what comes next may be only in the log. */
  isBehind(): boolean;
  caughtUp(): void;
  fallBehind(): void;
  arrival(): Promise<void>;
  wake(): void;
}

function createInbox(): Inbox {
  let waiting: StoredEvent[] = [];
  let characters = 0;
  let behind = true;
  let bell = Promise.withResolvers<void>();
  const fallBehind = (): void => {
    waiting = [];
    characters = 0;
    behind = true;
  };
  return {
    put(events) {
      for (const { event } of events) if ("text" in event) characters += event.text.length;
      if (behind || waiting.length + events.length > MAX_WAITING || characters > MAX_WAITING_CHARACTERS) fallBehind();
      else waiting.push(...events);
      bell.resolve();
    },
    take() {
      const taken = waiting;
      waiting = [];
      characters = 0;
      return taken;
    },
    isBehind: () => behind,
    fallBehind,
    caughtUp() {
      behind = false;
    },
    async arrival() {
      if (waiting.length === 0 && !behind) await bell.promise;
      bell = Promise.withResolvers<void>();
    },
    wake: () => bell.resolve(),
  };
}
