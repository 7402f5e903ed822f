import { type AgentEventOf, isDelta, type TakeBatch, type TakeMore } from "@caret/protocol";
import { Doorbell } from "../async/doorbell.ts";
import { pulled } from "../async/pulled.ts";
import type { EventStore, StoredEvent } from "./event-store.ts";
import { lengthOfEvent } from "./length-of-event.ts";

/** A reader that has this much waiting is too slow: it goes on from the log instead of from memory. */
const MAX_WAITING = 200;
const MAX_WAITING_CHARACTERS = 128 * 1024;
/** Small, because an event may hold a megabyte, and a reader that has caught up is back in memory. */
const PAGE = 32;

/** Takes the events of a log, batch by batch: of a turn that is followed live also pieces of them. */
export type TakeEvents = TakeBatch<readonly LiveEvent[]>;

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
  /** The event that was sent last is longer now: this was added after `offset` characters. False: it has to be sent as an event. */
  onMore(seq: number, offset: number, delta: AgentEventOf<"text-delta">): boolean;
  /** Something is in the log that was not. */
  onDurable(): void;
}

/** A turn that sends its events to listeners before they are durable. */
export interface LiveLog {
  /**
   * Returns the function that ends it. What the listener has heard of grows no more from then on: a reader that goes on
   * after the newest number it has heard misses nothing.
   */
  listen(listener: LiveListener): () => void;
  /** The number of the newest event that was written, durable or not. */
  readonly writtenSeq: number;
  /** The number of the newest event that listeners were given. */
  readonly notifiedSeq: number;
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
  readonly ticks?: { add(listener: () => void, sessionId?: string): () => void };
}

/**
 * Calls `take` with every event after `from`, once and in order. Subscribes before it reads, so that nothing falls between
 * the two. Resolves at the end, or when the signal is aborted.
 *
 * A reader is in one of two states. *Behind*: what comes next may be only in the log, which is read page by page; entered
 * at the beginning, when the reader is slow, when another process wrote, and when a number is missing. *Up to date*: what
 * is written here comes from memory; entered when a page was the last, and at the beginning where no listener was given
 * anything yet that comes after `from`. To a reader that is up to date and has taken everything, a batch is given by the
 * very call that writes it: the loop below then only waits.
 */
export async function follow(log: FollowedLog, options: FollowOptions, take: TakeEvents): Promise<void> {
  // What was sent before there was a listener is in the log or will be, except for what no listener has taken yet.
  const inbox = new Inbox(options, take);
  const leave = listen(log, options, inbox);
  try {
    while (!inbox.isOver) {
      const batch = inbox.isBehind ? await readPage(log, options, inbox) : inbox.take();
      // A reader that has left meanwhile would be taken to have what it is given now.
      if (inbox.isOver) break;
      if (batch.length > 0) await inbox.give(batch);
      else if (options.until === "never" && (await log.store.getSession(log.sessionId)) === undefined) return;
      else await inbox.settled();
    }
  } finally {
    leave();
  }
}

/** The same for a reader that pulls. */
export function pullEvents(
  log: FollowedLog,
  options: FollowOptions,
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  const left = new AbortController();
  const signal = AbortSignal.any([options.signal, left.signal]);
  return pulled(
    (take) => follow(log, { ...options, signal }, take),
    () => left.abort("left"), // with a reason of its own: the default one is an exception with a stack
  );
}

function listen(
  { store, sessionId }: FollowedLog,
  { live, until, raw, ticks, signal }: FollowOptions,
  inbox: Inbox,
): () => void {
  const put = (events: readonly StoredEvent[]): void => inbox.onWritten(raw === true ? events : withoutRaw(events));
  const ends = [
    live === undefined ? store.subscribe(sessionId, put) : undefined,
    // It hears of the session's end, too.
    until === "never" ? store.watch((changed) => changed === sessionId && inbox.bell.ring()) : undefined,
    ticks?.add(() => {
      inbox.fallBehind();
      inbox.bell.ring();
    }, sessionId),
  ];
  const endLive = live?.listen(inbox);
  const leave = (): void => {
    inbox.end();
    // At once, and not when the loop above comes round: what is said meanwhile must not make an event longer that was heard.
    endLive?.();
  };
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  return () => {
    signal.removeEventListener("abort", leave);
    endLive?.();
    for (const end of ends) end?.();
  };
}

async function readPage(
  { store, sessionId }: FollowedLog,
  { raw = false, live, restore = asKept }: FollowOptions,
  inbox: Inbox,
): Promise<readonly LiveEvent[]> {
  const { seq, characters } = inbox.position;
  const afterSeq = wholeBefore(inbox.position);
  // From here on arrivals are kept; whether they are enough is known when the page turns out to be the last.
  const newest = inbox.catchUp();
  const page = await store.read(sessionId, { afterSeq, limit: PAGE, raw });
  const reached = page.at(-1)?.seq ?? afterSeq;
  if (page.length === PAGE || reached < newest) inbox.fallBehind();
  // A piece of an event is cut off below: for a live reader the whole event must be restored before.
  const events = live === undefined ? page : restore(page);
  inbox.readTo = reached;
  return afterSeq === seq ? events : withoutSent(events, seq, characters);
}

/** The rest of an event whose beginning was sent, and what follows it. */
function withoutSent(events: readonly StoredEvent[], seq: number, characters: number): readonly LiveEvent[] {
  const [first, ...others] = events;
  if (first?.seq !== seq || !isDelta(first.event)) return events;
  const text = first.event.text.slice(characters);
  return text === "" ? others : [{ ...first, event: { ...first.event, text }, offset: characters }, ...others];
}

/** How far a reader has come: the number of the newest event it was sent, and how much of its text. */
export interface Position {
  readonly seq: number;
  readonly characters: number;
}

/** All of it, as it is in the log: there it does not grow. */
export const WHOLE = Number.POSITIVE_INFINITY;

/** The position of a reader that has this, and may be sent more of it. */
export function endOf({ seq, event, offset = 0 }: LiveEvent): Position {
  return { seq, characters: isDelta(event) ? offset + event.text.length : WHOLE };
}

/** The number of the newest event that was sent whole: one of which only a piece was sent is read once more. */
export function wholeBefore({ seq, characters }: Position): number {
  return characters === WHOLE ? seq : seq - 1;
}

/** What a reader at this position has already. */
function isBefore({ seq, offset = 0 }: LiveEvent, position: Position): boolean {
  return seq < position.seq || (seq === position.seq && offset < position.characters);
}

/** The same array where all of it is: a turn that is followed is nearly always alone in its session. */
function ofTurn(events: readonly StoredEvent[], wanted: string): readonly StoredEvent[] {
  for (const { turnId } of events) if (turnId !== wanted) return events.filter((event) => event.turnId === wanted);
  return events;
}

function asKept(events: readonly StoredEvent[]): readonly StoredEvent[] {
  return events;
}

function withoutRaw(events: readonly StoredEvent[]): readonly StoredEvent[] {
  return events.some(({ raw }) => raw !== undefined) ? events.map(({ raw, rawCut, ...stored }) => stored) : events;
}

/** Where a reader is, and what was written while it was busy. */
class Inbox implements LiveListener {
  readonly bell = new Doorbell();
  position: Position;
  /** The newest event that the reader has from the log. */
  readTo = 0;
  /** The reader has everything that it wants, or is gone. */
  isOver = false;
  readonly #options: FollowOptions;
  readonly #reader: TakeEvents;
  readonly #more: TakeMore | undefined;
  #waiting: LiveEvent[];
  #characters = 0;
  #isBehind: boolean;
  /** The reader is up to date and ready, and nothing waits: what comes next can be given to it at once. */
  #isIdle = false;
  /** What the reader is still busy with that was given to it so. */
  #taking: Promise<void> | undefined;
  /** The number of the newest event that was sent. */
  #newest: number;

  constructor(options: FollowOptions, reader: TakeEvents) {
    const { live, from } = options;
    const untaken = live?.untaken ?? [];
    this.#options = options;
    this.#reader = reader;
    this.#more = reader.more;
    this.position = { seq: from, characters: WHOLE };
    this.#isBehind = live === undefined || live.notifiedSeq > from;
    // One that is up to date is given everything with the other listeners, and not before them.
    this.#waiting = this.#isBehind ? [...untaken] : [];
    this.#newest = (untaken[0]?.seq ?? (live?.writtenSeq ?? 0) + 1) - 1;
  }

  /** Whether what comes next may be only in the log. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  readonly onWritten = (events: readonly LiveEvent[]): void => {
    this.#newest = events.at(-1)?.seq ?? this.#newest;
    if (this.#isIdle && this.#isNext(events[0])) return this.#giveAtOnce(events);
    if (!this.#isBehind) this.#keep(events);
    this.#isIdle = false;
    this.bell.ring();
  };

  readonly onMore = (seq: number, offset: number, delta: AgentEventOf<"text-delta">): boolean => {
    const { position } = this;
    if (!this.#isIdle || position.seq !== seq || position.characters !== offset) return false;
    const isTaken = this.#giveMore(delta);
    if (isTaken) this.position = { seq, characters: offset + delta.text.length };
    return isTaken;
  };

  /** Something is in the log that was not. */
  readonly onDurable = (): void => {
    if (!this.#isIdle) this.bell.ring();
  };

  /** Nothing more is wanted. */
  end(): void {
    this.isOver = true;
    this.#isIdle = false;
    this.bell.ring();
  }

  /** Resolves when there is something to do that a call of `onWritten` cannot do by itself. Rejects with what the reader threw. */
  async settled(): Promise<void> {
    const isEmpty = this.#waiting.length === 0;
    this.#isIdle = !this.#isBehind && isEmpty;
    // What waited before this reader came has rung no bell.
    if (isEmpty) await this.bell.rung();
    this.#isIdle = false;
    await this.#taking;
    this.#taking = undefined;
  }

  /** Hands a batch on that follows the position. */
  give(batch: readonly LiveEvent[]): Promise<void> | void {
    const { until, live, restore = asKept } = this.#options;
    // What comes live comes as it was said.
    const events = live === undefined ? restore(batch) : batch;
    const wanted = until === "never" ? events : ofTurn(events, until.endOf);
    this.position = this.#positionAfter(batch);
    if (until !== "never" && wanted.at(-1)?.event.type === "turn-end") this.isOver = true;
    return wanted.length > 0 ? this.#reader(wanted) : undefined;
  }

  #giveAtOnce(batch: readonly LiveEvent[]): void {
    // What the reader itself makes the turn write comes after this.
    this.#isIdle = false;
    try {
      this.#taking = this.give(batch) ?? undefined;
      this.#taking?.catch(() => undefined); // awaited by `settled`
    } catch (reason) {
      this.#fail(reason);
    }
    this.#noteIdle();
  }

  #giveMore(delta: AgentEventOf<"text-delta">): boolean {
    this.#isIdle = false;
    try {
      return this.#more?.(delta) ?? false;
    } catch (reason) {
      this.#fail(reason);
      return true;
    } finally {
      this.#noteIdle();
    }
  }

  /** The turn that is being written does not fail of one of its readers. */
  #fail(reason: unknown): void {
    this.#taking = Promise.reject(reason);
    this.#taking.catch(() => undefined); // awaited by `settled`
  }

  #noteIdle(): void {
    this.#isIdle = this.#taking === undefined && this.#waiting.length === 0 && !this.#isBehind && !this.isOver;
    if (!this.#isIdle) this.bell.ring();
  }

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
  take(): readonly StoredEvent[] {
    this.bell.clear();
    const waiting = this.#waiting;
    this.#empty();
    const first = waiting.findIndex((sent) => !isBefore(sent, this.position));
    const fresh = first > 0 ? waiting.slice(first) : waiting;
    if (first === -1 || this.#isNext(fresh[0])) return first === -1 ? [] : fresh;
    this.#isBehind = true;
    this.bell.ring();
    return [];
  }

  #isNext(event: LiveEvent | undefined): boolean {
    if (event === undefined) return false;
    const { seq, characters } = this.position;
    const { offset = 0 } = event;
    return event.seq === seq ? offset === characters : event.seq === seq + 1 && offset === 0;
  }

  /** Where a reader is that was given this batch. */
  #positionAfter(batch: readonly LiveEvent[]): Position {
    const last = batch.at(-1);
    if (last === undefined) return this.position;
    const isLive = this.#options.live !== undefined;
    return isLive && last.seq > this.readTo ? endOf(last) : { seq: last.seq, characters: WHOLE };
  }

  fallBehind(): void {
    this.#empty();
    this.#isBehind = true;
    this.#isIdle = false;
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
