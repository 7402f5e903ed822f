import type { TurnWriter } from "../turns/turn-writer.ts";
import { type EventStore, lengthOfEvent, type StoredEvent } from "./event-store.ts";

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
  /** Where events are told before they are durable; absent: only committed ones are followed. */
  readonly live?: Pick<TurnWriter, "listen" | "writtenSeq">;
  /** What the log keeps otherwise than it was said; absent: events come as they are kept. Needed with `live`. */
  readonly said?: TurnWriter["said"];
}

/**
 * Every event of a turn after `afterSeq`, once and in order, until its end. Subscribes before it reads, so that nothing
 * falls between the two; what a slow reader misses in memory it finds in the log, as soon as it is there.
 */
export async function* followEvents(options: FollowOptions): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  const { signal } = options;
  // What was told before anybody listened is only in the log, or will be.
  const inbox = createInbox(options.live?.writtenSeq ?? 0);
  const unsubscribe = subscribe(options, inbox);
  const onAbort = (): void => inbox.wake();
  signal?.addEventListener("abort", onAbort, { once: true });
  let seq = options.afterSeq;
  try {
    while (signal?.aborted !== true) {
      const fresh = continuation(await nextBatch(options, seq, inbox), seq);
      if (fresh === undefined) {
        inbox.fallBehind();
        continue;
      }
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

function subscribe({ store, sessionId, live }: FollowOptions, { put, wake }: Inbox): () => void {
  if (live === undefined) return store.subscribe(sessionId, put);
  return live.listen({ onWritten: put, onDurable: wake });
}

/**
 * What comes after `seq`. Undefined when something lies between: it was told while nobody listened and is not durable
 * yet, and will be found in the log.
 */
function continuation(batch: readonly StoredEvent[], seq: number): readonly StoredEvent[] | undefined {
  const fresh = batch.filter((stored) => stored.seq > seq);
  return fresh[0] === undefined || fresh[0].seq === seq + 1 ? fresh : undefined;
}

function isEnd({ event }: StoredEvent): boolean {
  return event.type === "turn-end";
}

async function nextBatch(
  { store, sessionId, live, said }: FollowOptions,
  seq: number,
  inbox: Inbox,
): Promise<readonly StoredEvent[]> {
  const asSaid = (events: readonly StoredEvent[]) => said?.restore(events) ?? events;
  // What is told live is told as it was said.
  if (!inbox.isBehind()) return live === undefined ? asSaid(inbox.take()) : inbox.take();
  // From here on arrivals are kept; whether they are enough is known when the page turns out to be the last.
  const newestTold = inbox.caughtUp();
  const page = await store.read(sessionId, { afterSeq: seq, limit: PAGE });
  const reached = page.at(-1)?.seq ?? seq;
  if (page.length === PAGE || reached < newestTold) inbox.fallBehind();
  return asSaid(page);
}

interface Inbox {
  put(events: readonly StoredEvent[]): void;
  take(): readonly StoredEvent[];
  /** Whether what comes next may be only in the log. */
  isBehind(): boolean;
  /** Keeps arrivals from now on. Says how far those went that may not have been kept. */
  caughtUp(): number;
  fallBehind(): void;
  arrival(): Promise<void>;
  wake(): void;
}

function createInbox(toldBefore: number): Inbox {
  let waiting: StoredEvent[] = [];
  let characters = 0;
  let behind = true;
  let newest = toldBefore;
  let bell = Promise.withResolvers<void>();
  const fallBehind = (): void => {
    waiting = [];
    characters = 0;
    behind = true;
  };
  return {
    put(events) {
      newest = events.at(-1)?.seq ?? newest;
      for (const { event } of events) characters += lengthOfEvent(event);
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
      return newest;
    },
    async arrival() {
      if (waiting.length === 0) await bell.promise;
      bell = Promise.withResolvers<void>();
    },
    wake: () => bell.resolve(),
  };
}
