import { Doorbell } from "../async/doorbell.ts";
import { type EventStore, lengthOfEvent, type StoredEvent } from "./event-store.ts";

/** A reader that has this much waiting is too slow: it goes on from the log instead of from memory. */
const MAX_WAITING = 200;
const MAX_WAITING_CHARACTERS = 128 * 1024;
/** Small, because an event may hold a megabyte, and a reader that has caught up is back in memory. */
const PAGE = 32;

/** The log of one session. */
export interface FollowedLog {
  readonly store: EventStore;
  readonly sessionId: string;
}

export interface LiveListener {
  /** Events in order, without their raw lines: those written behind before they are durable, others as soon as they are. */
  onWritten(events: readonly StoredEvent[]): void;
  /** Something is in the log that was not. */
  onDurable(): void;
}

/** A turn that tells its events before they are durable. */
export interface LiveLog {
  /** Returns the function that ends it. */
  listen(listener: LiveListener): () => void;
  /** The number of the newest event that was written, durable or not. */
  readonly writtenSeq: number;
}

export interface FollowOptions {
  /** Events after this number. */
  readonly from: number;
  /** A turn's id: its events only, until its end. `never`: all events, until the session is deleted. */
  readonly until: { readonly endOf: string } | "never";
  readonly signal: AbortSignal;
  /** Events come from here before they are durable, as they were said. Absent: only committed ones are followed. */
  readonly live?: LiveLog | undefined;
  /** What a reader is given of events of the log; absent: the events as they are kept. Needed with `live`. */
  readonly restore?: ((events: readonly StoredEvent[]) => readonly StoredEvent[]) | undefined;
  /** With the lines behind the events. */
  readonly raw?: boolean;
  /** Hears of other processes that write to the log. Absent: none does while this is followed. */
  readonly ticks?: { add(listener: () => void): () => void };
}

/**
 * Every event after `from`, once and in order. Subscribes before it reads, so that nothing falls between the two.
 *
 * A reader is in one of two states. *Behind*: what comes next may be only in the log, which is read page by page; entered
 * at the beginning, when the reader is slow, when another process wrote, and when a number is missing. *Up to date*: what
 * is written here comes from memory; entered when a page was the last.
 */
export async function* follow(
  log: FollowedLog,
  options: FollowOptions,
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  const { until } = options;
  // What was told before anybody listened is only in the log, or will be.
  const inbox = new Inbox(options.live?.writtenSeq ?? 0);
  const leave = listen(log, options, inbox);
  let seq = options.from;
  try {
    for (;;) {
      const batch = await nextBatch(log, options, seq, inbox);
      if (batch === undefined) return;
      seq = batch.at(-1)?.seq ?? seq;
      const wanted = until === "never" ? batch : batch.filter(({ turnId }) => turnId === until.endOf);
      if (wanted.length > 0) yield wanted;
      if (endsWith(wanted, until)) return;
    }
  } finally {
    leave();
  }
}

/** What comes after `seq`, as soon as there is anything. Undefined when nothing more will come. */
async function nextBatch(
  log: FollowedLog,
  options: FollowOptions,
  seq: number,
  inbox: Inbox,
): Promise<readonly StoredEvent[] | undefined> {
  const { live, restore = asKept, signal, until } = options;
  while (!signal.aborted) {
    const isLogged = inbox.isBehind || live === undefined;
    const batch = inbox.isBehind ? await readPage(log, options, seq, inbox) : inbox.take(seq);
    // What is told live is told as it was said.
    if (batch.length > 0) return isLogged ? restore(batch) : batch;
    if (await isOver(log, until)) return undefined;
    await inbox.bell.rung();
  }
  return undefined;
}

function listen(
  { store, sessionId }: FollowedLog,
  { live, until, raw, ticks, signal }: FollowOptions,
  inbox: Inbox,
): () => void {
  const { ring } = inbox.bell;
  const put = (events: readonly StoredEvent[]): void => inbox.put(raw === true ? events : withoutRaw(events));
  const ends = [
    live === undefined ? store.subscribe(sessionId, put) : live.listen({ onWritten: inbox.put, onDurable: ring }),
    // It hears of the session's end, too.
    until === "never" ? store.watch((changed) => changed === sessionId && ring()) : undefined,
    ticks?.add(() => {
      inbox.fallBehind();
      ring();
    }),
  ];
  signal.addEventListener("abort", ring, { once: true });
  return () => {
    signal.removeEventListener("abort", ring);
    for (const end of ends) end?.();
  };
}

async function readPage(
  { store, sessionId }: FollowedLog,
  { raw = false }: FollowOptions,
  seq: number,
  inbox: Inbox,
): Promise<readonly StoredEvent[]> {
  // From here on arrivals are kept; whether they are enough is known when the page turns out to be the last.
  const newest = inbox.catchUp();
  const page = await store.read(sessionId, { afterSeq: seq, limit: PAGE, raw });
  const reached = page.at(-1)?.seq ?? seq;
  if (page.length === PAGE || reached < newest) inbox.fallBehind();
  return page;
}

function endsWith(wanted: readonly StoredEvent[], until: FollowOptions["until"]): boolean {
  return until !== "never" && wanted.at(-1)?.event.type === "turn-end";
}

async function isOver({ store, sessionId }: FollowedLog, until: FollowOptions["until"]): Promise<boolean> {
  return until === "never" && (await store.getSession(sessionId)) === undefined;
}

function asKept(events: readonly StoredEvent[]): readonly StoredEvent[] {
  return events;
}

function withoutRaw(events: readonly StoredEvent[]): readonly StoredEvent[] {
  return events.some(({ raw }) => raw !== undefined) ? events.map(({ raw, rawCut, ...stored }) => stored) : events;
}

/** What was written while the reader was busy. */
class Inbox {
  readonly bell = new Doorbell();
  #waiting: StoredEvent[] = [];
  #characters = 0;
  #isBehind = true;
  /** The number of the newest event that was told. */
  #newest: number;

  constructor(newest: number) {
    this.#newest = newest;
  }

  /** Whether what comes next may be only in the log. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  readonly put = (events: readonly StoredEvent[]): void => {
    this.#newest = events.at(-1)?.seq ?? this.#newest;
    if (!this.#isBehind) this.#keep(events);
    this.bell.ring();
  };

  #keep(events: readonly StoredEvent[]): void {
    for (const { event, raw } of events) this.#characters += lengthOfEvent(event) + (raw?.length ?? 0);
    if (this.#waiting.length + events.length > MAX_WAITING || this.#characters > MAX_WAITING_CHARACTERS)
      this.fallBehind();
    else this.#waiting.push(...events);
  }

  /**
   * What follows `seq`. Nothing, and behind, when something lies between: it was told while nobody listened, and is in the
   * log or will be.
   */
  take(seq: number): readonly StoredEvent[] {
    this.bell.clear();
    const first = this.#waiting.findIndex((stored) => stored.seq > seq);
    const fresh = first > 0 ? this.#waiting.slice(first) : this.#waiting;
    this.#empty();
    if (first === -1) return [];
    if (fresh[0]?.seq === seq + 1) return fresh;
    this.#isBehind = true;
    this.bell.ring();
    return [];
  }

  fallBehind(): void {
    this.#empty();
    this.#isBehind = true;
  }

  /** Keeps arrivals from now on. Says how far those went that may not have been kept. */
  catchUp(): number {
    this.bell.clear();
    this.#isBehind = false;
    return this.#newest;
  }

  #empty(): void {
    this.#waiting = [];
    this.#characters = 0;
  }
}
