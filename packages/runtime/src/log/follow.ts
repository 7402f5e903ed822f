import { isDelta } from "@caret/protocol";
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

/**
 * An event of a turn that goes on, or a piece of one: text that is sent before it is committed may grow until then, and
 * is sent piece by piece under one number.
 */
export interface LiveEvent extends StoredEvent {
  /** How much of the text was sent before; absent: none. */
  readonly offset?: number;
}

export interface LiveListener {
  /** Events in order, without their raw lines: those written behind before they are durable, others as soon as they are. */
  onWritten(events: readonly LiveEvent[]): void;
  /** Something is in the log that was not. */
  onDurable(): void;
}

/** A turn that tells its events before they are durable. */
export interface LiveLog {
  /** Returns the function that ends it. */
  listen(listener: LiveListener): () => void;
  /** The number of the newest event that was written, durable or not. */
  readonly writtenSeq: number;
  /** The number of the newest event that listeners were given. */
  readonly toldSeq: number;
  /** The newest events, as far as nothing has been done yet to make them durable: no reader finds them in the log. */
  readonly untaken: readonly LiveEvent[];
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
 * is written here comes from memory; entered when a page was the last, and at the beginning where no listener was given
 * anything yet that comes after `from`.
 */
export async function* follow(
  log: FollowedLog,
  options: FollowOptions,
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  const { until, live } = options;
  // What was sent before there was a listener is in the log or will be, except for what no listener has taken yet.
  const inbox = new Inbox(live, options.from);
  const leave = listen(log, options, inbox);
  let position: Position = { seq: options.from, characters: WHOLE };
  try {
    for (;;) {
      const batch = await nextBatch(log, options, position, inbox);
      if (batch === undefined) return;
      position = inbox.positionAfter(batch, position);
      const wanted = until === "never" ? batch : batch.filter(({ turnId }) => turnId === until.endOf);
      if (wanted.length > 0) yield wanted;
      if (endsWith(wanted, until)) return;
    }
  } finally {
    leave();
  }
}

/** What comes after a position, as soon as there is anything. Undefined when nothing more will come. */
async function nextBatch(
  log: FollowedLog,
  options: FollowOptions,
  position: Position,
  inbox: Inbox,
): Promise<readonly StoredEvent[] | undefined> {
  const { live, restore = asKept, until } = options;
  while (!inbox.isUnwanted) {
    const batch = inbox.isBehind ? await readPage(log, options, position, inbox) : inbox.take(position);
    // What comes live comes as it was said.
    if (batch.length > 0) return live === undefined ? restore(batch) : batch;
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
  const leave = (): void => {
    inbox.isUnwanted = true;
    ring();
  };
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
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  return () => {
    signal.removeEventListener("abort", leave);
    for (const end of ends) end?.();
  };
}

async function readPage(
  { store, sessionId }: FollowedLog,
  { raw = false, live, restore = asKept }: FollowOptions,
  { seq, characters }: Position,
  inbox: Inbox,
): Promise<readonly StoredEvent[]> {
  // An event of which only a piece was sent is read once more.
  const afterSeq = characters === WHOLE ? seq : seq - 1;
  // From here on arrivals are kept; whether they are enough is known when the page turns out to be the last.
  const newest = inbox.catchUp();
  const page = await store.read(sessionId, { afterSeq, limit: PAGE, raw });
  const reached = page.at(-1)?.seq ?? afterSeq;
  if (page.length === PAGE || reached < newest) inbox.fallBehind();
  // A piece of an event is cut off below: for a live reader the whole event must be restored before.
  const events = live === undefined ? page : restore(page);
  inbox.readTo = reached;
  return afterSeq === seq ? events : withoutTold(events, seq, characters);
}

/** The rest of an event whose beginning was sent, and what follows it. */
function withoutTold(events: readonly StoredEvent[], seq: number, characters: number): readonly StoredEvent[] {
  const [first, ...others] = events;
  if (first?.seq !== seq || !isDelta(first.event)) return events;
  const text = first.event.text.slice(characters);
  return text === "" ? others : [{ ...first, event: { ...first.event, text } }, ...others];
}

/** How far a reader has come: the number of the newest event it was sent, and how much of its text. */
interface Position {
  readonly seq: number;
  readonly characters: number;
}

/** All of it, as it is in the log: there it does not grow. */
const WHOLE = Number.POSITIVE_INFINITY;

/** The position of a reader that has this, and may be sent more of it. */
function endOf({ seq, event, offset = 0 }: LiveEvent): Position {
  return { seq, characters: isDelta(event) ? offset + event.text.length : WHOLE };
}

/** What a reader at this position has already. */
function isBefore({ seq, offset = 0 }: LiveEvent, position: Position): boolean {
  return seq < position.seq || (seq === position.seq && offset < position.characters);
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
  /** The reader is gone. Kept here: to ask a signal that is made of others looks at all of them. */
  isUnwanted = false;
  /** The newest event that the reader has from the log. */
  readTo = 0;
  #waiting: LiveEvent[];
  #characters = 0;
  #isBehind: boolean;
  readonly #isLive: boolean;
  /** The number of the newest event that was sent. */
  #newest: number;

  constructor(live: LiveLog | undefined, from: number) {
    const untaken = live?.untaken ?? [];
    this.#isLive = live !== undefined;
    this.#isBehind = live === undefined || live.toldSeq > from;
    // One that is up to date is given everything with the other listeners, and not before them.
    this.#waiting = this.#isBehind ? [...untaken] : [];
    this.#newest = (untaken[0]?.seq ?? (live?.writtenSeq ?? 0) + 1) - 1;
  }

  /** Whether what comes next may be only in the log. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  readonly put = (events: readonly LiveEvent[]): void => {
    this.#newest = events.at(-1)?.seq ?? this.#newest;
    if (!this.#isBehind) this.#keep(events);
    this.bell.ring();
  };

  #keep(sent: readonly LiveEvent[]): void {
    const last = this.#waiting.at(-1);
    // What no reader had taken when this one came may be sent only now.
    const events = last === undefined ? sent : sent.filter((event) => !isBefore(event, endOf(last)));
    for (const { event, raw } of events) this.#characters += lengthOfEvent(event) + (raw?.length ?? 0);
    if (this.#waiting.length + events.length > MAX_WAITING || this.#characters > MAX_WAITING_CHARACTERS)
      this.fallBehind();
    else this.#waiting.push(...events);
  }

  /**
   * What follows the position. Nothing, and behind, when something lies between: it was sent while there was no listener, and is
   * in the log or will be.
   */
  take(position: Position): readonly StoredEvent[] {
    this.bell.clear();
    const waiting = this.#waiting;
    this.#empty();
    const first = waiting.findIndex((sent) => !isBefore(sent, position));
    const fresh = first > 0 ? waiting.slice(first) : waiting;
    const [next] = fresh;
    if (first === -1 || next === undefined) return [];
    const offset = next.offset ?? 0;
    const isNext =
      next.seq === position.seq ? offset === position.characters : next.seq === position.seq + 1 && offset === 0;
    if (isNext) return fresh;
    this.#isBehind = true;
    this.bell.ring();
    return [];
  }

  /** Where a reader is that was given this batch. */
  positionAfter(batch: readonly LiveEvent[], before: Position): Position {
    const last = batch.at(-1);
    if (last === undefined) return before;
    return this.#isLive && last.seq > this.readTo ? endOf(last) : { seq: last.seq, characters: WHOLE };
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
