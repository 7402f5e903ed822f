import { type AgentEventOf, isDelta, type TakeBatch, type TakeMore } from "@caret/protocol";
import { Doorbell } from "../async/doorbell.ts";
import { pulled } from "../async/pulled.ts";
import type { EventStore, StoredEvent } from "./event-store.ts";
import { lengthOfEvent } from "./length-of-event.ts";

/** Above this backlog a reader is too slow and continues from the log instead of from memory. */
const MAX_WAITING = 200;
const MAX_WAITING_CHARACTERS = 128 * 1024;
/** Small, because an event can hold a megabyte and a reader that has caught up reads from memory again. */
const PAGE = 32;

/** Takes the events of a log, batch by batch; of a turn followed live, also pieces of events. */
export type TakeEvents = TakeBatch<readonly LiveEvent[]>;

/** The log of one session. */
export interface FollowedLog {
  readonly store: EventStore;
  readonly sessionId: string;
}

/**
 * An event of a running turn, or a piece of one: text sent before its commit can grow until then and is sent piece by piece under one
 * number.
 */
export interface LiveEvent extends StoredEvent {
  /** How much of the text was sent before. Default: none. */
  readonly offset?: number;
}

export interface LiveListener {
  /** Events in order, without their raw lines: not yet durable ones from memory, others as soon as they are durable. */
  onWritten(events: readonly LiveEvent[]): void;
  /** The last sent event grew: `delta` was added after `offset` characters. False: it must be sent as an event. */
  onMore(seq: number, offset: number, delta: AgentEventOf<"text-delta">): boolean;
  /** The log has new events. */
  onDurable(): void;
}

/** A turn that sends its events to listeners before they are durable. */
export interface LiveLog {
  /**
   * Returns unsubscribe. Once unsubscribed, events the listener has heard no longer grow, so a reader that continues after the newest
   * number it has heard misses nothing.
   */
  listen(listener: LiveListener): () => void;
  /** Number of the newest written event, durable or not. */
  readonly writtenSeq: number;
  /** Number of the newest event sent to listeners. */
  readonly notifiedSeq: number;
  /** The newest events that no commit has taken yet: readers cannot find them in the log. */
  readonly untaken: readonly LiveEvent[];
}

export interface FollowOptions {
  /** Events after this number. */
  readonly from: number;
  /** A turn's id: only its events, until its end. `never`: all events, until the session is deleted. */
  readonly until: { readonly endOf: string } | "never";
  readonly signal: AbortSignal;
  /** Source of events before they are durable, as they were said. Omitted: only committed events are followed. */
  readonly live?: LiveLog | undefined;
  /** Transforms logged events for the reader. Default: the events as logged. Required with `live`. */
  readonly restore?: ((events: readonly StoredEvent[]) => readonly StoredEvent[]) | undefined;
  /** Include the raw lines. */
  readonly raw?: boolean;
  /** Notifies of writes by other processes. Omitted: there are none while this is followed. */
  readonly ticks?: { add(listener: () => void, sessionId?: string): () => void };
}

/**
 * Calls `take` with every event after `from`, once and in order. Subscribes before it reads, so nothing is lost in between. Resolves at
 * the end, or when the signal is aborted.
 *
 * A reader is in one of two states. *Behind*: what comes next may be only in the log, which is read page by page; entered at the start,
 * when the reader is slow, when another process wrote, and when a number is missing. *Up to date*: what is written here comes from memory;
 * entered when a page was the last, and at the start if no listener has been sent anything after `from`. A reader that is up to date and
 * has taken everything gets a batch within the call that writes it: the loop below then only waits.
 */
export async function follow(log: FollowedLog, options: FollowOptions, take: TakeEvents): Promise<void> {
  // Everything sent before we listened is or will be in the log, except what no commit has taken yet.
  const inbox = new Inbox(options, take);
  const leave = listen(log, options, inbox);
  try {
    while (!inbox.isOver) {
      const batch = inbox.isBehind ? await readPage(log, options, inbox) : inbox.take();
      // A reader that left in the meantime would count as having received this batch.
      if (inbox.isOver) break;
      if (batch.length > 0) await inbox.give(batch);
      else if (options.until === "never" && (await log.store.getSession(log.sessionId)) === undefined) return;
      else await inbox.settled();
    }
  } finally {
    leave();
  }
}

/** The pull version of `follow`. */
export function pullEvents(
  log: FollowedLog,
  options: FollowOptions,
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  const left = new AbortController();
  const signal = AbortSignal.any([options.signal, left.signal]);
  return pulled(
    (take) => follow(log, { ...options, signal }, take),
    () => left.abort("left"), // an explicit reason: the default is an exception with a stack
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
    // It also reports the session's deletion.
    until === "never" ? store.watch((changed) => changed === sessionId && inbox.bell.ring()) : undefined,
    ticks?.add(() => {
      inbox.fallBehind();
      inbox.bell.ring();
    }, sessionId),
  ];
  const endLive = live?.listen(inbox);
  const leave = (): void => {
    inbox.end();
    // At once rather than on the loop's next iteration: what is said in between must not extend an event that was already heard.
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
  // Keep arrivals from here; whether they are complete is known once the page turns out to be the last.
  const newest = inbox.catchUp();
  const page = await store.read(sessionId, { afterSeq, limit: PAGE, raw });
  const reached = page.at(-1)?.seq ?? afterSeq;
  if (page.length === PAGE || reached < newest) inbox.fallBehind();
  // An event is cut below: a live reader needs the whole event restored before that.
  const events = live === undefined ? page : restore(page);
  inbox.readTo = reached;
  return afterSeq === seq ? events : withoutSent(events, seq, characters);
}

/** The rest of a partly sent event, and what follows it. */
function withoutSent(events: readonly StoredEvent[], seq: number, characters: number): readonly LiveEvent[] {
  const [first, ...others] = events;
  if (first?.seq !== seq || !isDelta(first.event)) return events;
  const text = first.event.text.slice(characters);
  return text === "" ? others : [{ ...first, event: { ...first.event, text }, offset: characters }, ...others];
}

/** A reader's position: the number of the newest event it was sent, and how much of its text. */
export interface Position {
  readonly seq: number;
  readonly characters: number;
}

/** The whole event, as in the log, where events do not grow. */
export const WHOLE = Number.POSITIVE_INFINITY;

/** Position of a reader that has this event, which may still grow. */
export function endOf({ seq, event, offset = 0 }: LiveEvent): Position {
  return { seq, characters: isDelta(event) ? offset + event.text.length : WHOLE };
}

/** Number of the newest event that was sent whole: a partly sent one is read again. */
export function wholeBefore({ seq, characters }: Position): number {
  return characters === WHOLE ? seq : seq - 1;
}

/** Whether a reader at this position already has the event. */
function isBefore({ seq, offset = 0 }: LiveEvent, position: Position): boolean {
  return seq < position.seq || (seq === position.seq && offset < position.characters);
}

/** Returns the same array if all events match: a followed turn is nearly always alone in its session. */
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

/** A reader's position, and what was written while it was busy. */
class Inbox implements LiveListener {
  readonly bell = new Doorbell();
  position: Position;
  /** The newest event read from the log. */
  readTo = 0;
  /** The reader has everything it wants, or is gone. */
  isOver = false;
  readonly #options: FollowOptions;
  readonly #reader: TakeEvents;
  readonly #more: TakeMore | undefined;
  #waiting: LiveEvent[];
  #characters = 0;
  #isBehind: boolean;
  /** The reader is up to date and ready, and nothing waits: the next events can be passed on at once. */
  #isIdle = false;
  /** The reader's work on what it was passed at once. */
  #taking: Promise<void> | undefined;
  /** Number of the newest event that was sent. */
  #newest: number;

  constructor(options: FollowOptions, reader: TakeEvents) {
    const { live, from } = options;
    const untaken = live?.untaken ?? [];
    this.#options = options;
    this.#reader = reader;
    this.#more = reader.more;
    this.position = { seq: from, characters: WHOLE };
    this.#isBehind = live === undefined || live.notifiedSeq > from;
    // An up-to-date reader gets these with the other listeners, not before them.
    this.#waiting = this.#isBehind ? [...untaken] : [];
    this.#newest = (untaken[0]?.seq ?? (live?.writtenSeq ?? 0) + 1) - 1;
  }

  /** Whether the next events may be only in the log. */
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

  /** The log has new events. */
  readonly onDurable = (): void => {
    if (!this.#isIdle) this.bell.ring();
  };

  /** The reader wants nothing more. */
  end(): void {
    this.isOver = true;
    this.#isIdle = false;
    this.bell.ring();
  }

  /** Resolves when there is work that a call of `onWritten` cannot do by itself. Rejects with the reader's error. */
  async settled(): Promise<void> {
    const isEmpty = this.#waiting.length === 0;
    this.#isIdle = !this.#isBehind && isEmpty;
    // Events that waited before this reader joined have rung no bell.
    if (isEmpty) await this.bell.rung();
    this.#isIdle = false;
    await this.#taking;
    this.#taking = undefined;
  }

  /** Passes on a batch that follows the position. */
  give(batch: readonly LiveEvent[]): Promise<void> | void {
    const { until, live, restore = asKept } = this.#options;
    // Live events already come as they were said.
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

  /** A reader's error must not fail the turn that is being written. */
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
    // Entries untaken when this reader joined may be sent to listeners only now.
    const events = last === undefined ? sent : sent.filter((event) => !isBefore(event, endOf(last)));
    for (const { event, raw } of events) this.#characters += lengthOfEvent(event) + (raw?.length ?? 0);
    if (this.#waiting.length + events.length > MAX_WAITING || this.#characters > MAX_WAITING_CHARACTERS)
      this.fallBehind();
    else this.#waiting.push(...events);
  }

  /**
   * Takes what follows the position. Returns nothing and marks the reader behind if there is a gap: the missing events were sent before it
   * listened and are or will be in the log.
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

  /** The reader's position after this batch. */
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

  /** Keeps arrivals from now on. Returns the number of the newest event that may not have been kept. */
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
