import {
  type AgentEvent,
  type AgentEventOf,
  type CaretError,
  type Delta,
  isDelta,
  type TakeMore,
  type TurnOutcome,
  type Usage,
} from "@caret/protocol";
import type { LaneEntry } from "../lanes/lane.ts";
import type { CommandOptions, EventEntry, EventStore, LogWriter, StoredEvent } from "../log/event-store.ts";
import type { LiveEvent, LiveListener, LiveLog } from "../log/follow.ts";
import { interruptedEnd, noOpenParts, trackOpenParts } from "../log/interrupted-end.ts";
import { createTurnActs, errorWithActs, type TurnActs, withActs } from "../log/turn-acts.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { RedactedBatch, TurnRedactor } from "../redaction/turn-redactor.ts";
import { capOutputs, joinDeltas } from "./compact-entries.ts";
import { type Added, PendingEntries } from "./pending-entries.ts";
import { createSaidEvents, type SaidEvents } from "./said-events.ts";
import { type CallLog, createCallLog } from "./tools/call-log.ts";
import { type Backlog, createBacklog } from "./write-backlog.ts";

/** Commit at this size: waiting for more would gain little, and the agent would soon have to wait. */
const ENOUGH_CHARACTERS = 64 * 1024;

const noLine: Pick<EventEntry, "raw" | "rawCut"> = {};

export interface TurnWriterOptions {
  readonly store: Pick<EventStore, "append">;
  /** Returns a redactor with every secret known by now: a turn may learn of more as it begins. */
  readonly redactor: () => Redactor;
  readonly sessionId: string;
  readonly turnId: string;
  /** Current end of the session's log. */
  readonly lastSeq: number;
  readonly maxRawBytes: number;
  readonly wallClock: () => number;
  /** Called as soon as a batch fails to be written; `append` reports that only with the next batch. */
  readonly onFailure: (error: CaretError) => void;
  /** Called once, when `outcome` resolves, with the last usage reported by the agent. */
  readonly onEnd: (outcome: TurnOutcome, usage: Usage | undefined) => void;
  readonly newCallId: () => string;
}

/**
 * The only way into a turn's log: everything passes the same stages in order and is numbered on arrival. Join deltas, cap outputs, redact,
 * number, commit, notify. Only the logged form is redacted: listeners get events as they were said.
 */
export interface TurnWriter extends LiveLog {
  /**
   * Appends the agent's next entries without waiting for the disk: listeners get them at once. The turn's end is the exception: listeners
   * get it once durable, because a client continues from it and must find it in the log of whichever gateway it asks next. Returns a
   * promise if the backlog is full, which resolves when there is room again; and for the turn's end, when everything is durable. Throws or
   * rejects as soon as a write is known to have failed.
   */
  append(entries: readonly LaneEntry[]): Promise<void> | void;
  /**
   * The fast path for text that only extends an event still waiting for its commit, holds no secret, and whose listener is ready. Throws
   * as `append` does.
   */
  readonly more: TakeMore;
  /** Appends events that are not the agent's. Resolves with their logged form once durable; empty after the turn's end. */
  write(events: readonly AgentEvent[], options?: CommandOptions): Promise<readonly StoredEvent[]>;
  /** Whether the turn has acted: every write is noted there, and the end of a failed turn reports it. */
  readonly acts: TurnActs;
  /** The calls that the agent does not run itself: when each is logged, and its result. */
  readonly calls: CallLog;
  /** Ends a broken turn: closes what the agent left open, then writes `closing`, then the end. */
  fail(error: CaretError, closing: readonly AgentEvent[]): Promise<void>;
  /** Ends a turn whose end the log does not take: followers end without it. */
  breakOff(error: CaretError): void;
  /** The `turn-end` is durable. */
  readonly hasEnded: boolean;
  /** Resolves when the `turn-end` is durable, or never will be. */
  readonly outcome: Promise<TurnOutcome>;
  /** Aborted when the log cannot be written. */
  readonly broken: AbortSignal;
  /** The originals of events that the log keeps redacted. */
  readonly said: Pick<SaidEvents, "restore" | "find">;
}

/** Events in their logged form, each piece of a text block separately, and a promise for when they are durable. */
interface Writing {
  readonly events: readonly StoredEvent[];
  readonly durable: Promise<unknown>;
}

export function createTurnWriter(options: TurnWriterOptions): TurnWriter {
  const behind = createBacklog(options.onFailure);
  const { acts, commit, grow, live, said, untaken, writtenSeq } = createCommits(options, behind);
  const open = noOpenParts();
  const ended = Promise.withResolvers<TurnOutcome>();
  const broken = new AbortController();
  let isOver = false;
  let hasEnded = false;
  let usage: Usage | undefined;

  /** A turn that was broken off may still get its end into the log later. */
  let isEndReported = false;
  const end = (outcome: TurnOutcome): void => {
    if (isEndReported) return;
    isEndReported = true;
    ended.resolve(outcome);
    options.onEnd(outcome, usage);
  };

  const finish = async (outcome: TurnOutcome): Promise<void> => {
    await behind.drain();
    hasEnded = true;
    end(outcome);
  };

  const append: TurnWriter["append"] = (entries) => {
    isOver ||= entries.at(-1)?.event.type === "turn-end";
    behind.assertSound();
    const writing = commit(entries, !isOver);
    if (writing.events.length === 0) return;
    for (const { event } of writing.events) {
      trackOpenParts(open, event);
      if (event.type === "usage") usage = event.usage;
    }
    const last = writing.events.at(-1)?.event;
    return last?.type === "turn-end" ? finish(last.outcome) : behind.room()?.then(behind.assertSound);
  };

  const more: TakeMore = (delta) => {
    behind.assertSound();
    return grow(delta);
  };

  const write: TurnWriter["write"] = async (events, how) => {
    if (isOver) return [];
    const { events: written, durable } = commit(toEntries(events), false, how);
    await durable;
    return written;
  };

  return {
    append,
    more,
    write,
    acts,
    calls: createCallLog({ write, newCallId: options.newCallId }),
    async fail(error, closing) {
      const outcome: TurnOutcome = { kind: "failed", error: error.toInfo() };
      await append(toEntries([...interruptedEnd(open).slice(0, -1), ...closing, { type: "turn-end", outcome }]));
    },
    breakOff(error) {
      end({ kind: "failed", error: options.redactor().redactValue(errorWithActs(error.toInfo(), acts.hasActed)) });
      broken.abort(error);
    },
    get hasEnded() {
      return hasEnded;
    },
    outcome: ended.promise,
    broken: broken.signal,
    listen: live.add,
    said,
    get untaken() {
      return untaken();
    },
    get writtenSeq() {
      return writtenSeq();
    },
    get notifiedSeq() {
      return live.notifiedSeq();
    },
  };
}

/** The stages that everything passes on its way into the log. */
function createCommits(options: TurnWriterOptions, behind: Backlog) {
  const { store, sessionId, turnId } = options;
  const live = createLiveListeners(options.lastSeq, () => pending.seal());
  const said = createSaidEvents();
  const acts = createTurnActs();
  const redact = createRedaction(options);
  const writer: LogWriter = {};
  const how = { writer, keepTrying: true };
  let pending = new PendingEntries(options.lastSeq);
  const number = (joined: readonly LaneEntry[], batch: RedactedBatch) =>
    numberBatch(options, { pending, shown: said.shown }, batch, (index) => redact.rawOf(joined, batch, index));
  /** The last scheduled commit of entries that nobody awaits. */
  let scheduled: { readonly taken: PendingEntries; readonly durable: Promise<unknown> } | undefined;

  const take = (taken: PendingEntries): readonly EventEntry[] =>
    taken.take().map((waiting) => {
      said.note(waiting.seq, waiting.entry.event, waiting.said);
      return waiting.entry;
    });

  /** Later entries belong to the next commit. */
  const close = (taken: PendingEntries): void => {
    if (pending === taken) pending = new PendingEntries(taken.lastSeq);
  };

  const later = (taken: PendingEntries): Promise<unknown> => {
    let carried = 0;
    const entries = (): readonly EventEntry[] => {
      close(taken);
      const given = take(taken);
      if (given.length > 0) carried = taken.characters;
      return given;
    };
    return behind.watch(store.append(sessionId, taken.afterSeq, entries, how).then(live.noteDurable), () => carried);
  };

  const now = ({ command }: CommandOptions): Promise<unknown> => {
    const taken = pending;
    close(taken);
    const recorded = command === undefined ? how : { ...how, command };
    const appended = store.append(sessionId, taken.afterSeq, take(taken), recorded);
    return behind.watch(appended.then(live.noteDurable), () => taken.characters);
  };

  const commit = (given: readonly LaneEntry[], patient: boolean, recorded: CommandOptions = {}): Writing => {
    const joined = capOutputs(joinDeltas(withActs(acts, given)));
    const batch = redact.events(joined);
    if (batch.kept.length === 0) return { events: [], durable: Promise.resolve() };
    const before = pending.characters;
    const { written: events, sent } = number(joined, batch);
    behind.add(pending.characters - before);
    if (patient && pending.characters < ENOUGH_CHARACTERS) {
      if (scheduled?.taken !== pending) scheduled = { taken: pending, durable: later(pending) };
      live.send(sent, undefined);
      return { events, durable: scheduled.durable };
    }
    const durable = now(recorded);
    const free = patient ? sent.length : spokenBefore(sent);
    live.send(sent.slice(0, free), undefined);
    live.send(sent.slice(free), durable);
    return { events, durable };
  };

  /** Extends the newest event: no new number, and its commit is already scheduled. */
  const grow: TakeMore = (delta) => {
    const place = pending.placeOfMore(delta);
    if (place === undefined || pending.characters + delta.text.length >= ENOUGH_CHARACTERS) return false;
    if (!redact.isPlain(delta) || !live.sendMore(place, delta)) return false;
    redact.note(delta);
    pending.add({ turnId, event: delta }, delta);
    behind.add(delta.text.length);
    return true;
  };

  /** What was sent but is in no commit yet, whole. */
  const untaken = (): readonly LiveEvent[] =>
    pending.waiting.map(({ seq, entry: { at = 0 }, said: event }) => ({ sessionId, seq, turnId, at, event }));

  return { acts, commit, grow, live, said, untaken, writtenSeq: () => pending.lastSeq };
}

/** Numbers each event, and decides which form is logged and which is sent. */
function numberBatch(
  { sessionId, turnId, wallClock }: TurnWriterOptions,
  { pending, shown: shownOf }: { readonly pending: PendingEntries } & Pick<SaidEvents, "shown">,
  { kept, said }: RedactedBatch,
  lineOf: (index: number) => Pick<EventEntry, "raw" | "rawCut">,
) {
  const at = wallClock();
  const written: StoredEvent[] = [];
  const sent: LiveEvent[] = [];
  for (let index = 0; index < kept.length; index += 1) {
    const event = kept[index] as AgentEvent;
    const shown = shownOf(event, said[index] ?? event);
    const { seq, offset } = pending.add(withLine({ turnId, event, at }, lineOf(index)), shown);
    const stored = { sessionId, seq, turnId, at, event };
    written.push(stored);
    sent.push(offset === 0 && shown === event ? stored : { sessionId, seq, turnId, at, event: shown, offset });
  }
  return { written, sent };
}

function withLine(entry: EventEntry, line: Pick<EventEntry, "raw" | "rawCut">): EventEntry {
  return line === noLine ? entry : { ...entry, ...line };
}

function toEntries(events: readonly AgentEvent[]): readonly LaneEntry[] {
  return events.map((event) => ({ event }));
}

/**
 * Number of events before the turn's end: earlier words do not end the turn, and a short answer read together with its end need not wait.
 */
function spokenBefore(sent: readonly LiveEvent[]): number {
  return Math.max(
    0,
    sent.findLastIndex(({ event }) => event.type === "turn-end"),
  );
}

/** Redacts the events of a turn and their raw lines, always with the newest redactor. */
function createRedaction({ redactor: newest, maxRawBytes }: Pick<TurnWriterOptions, "redactor" | "maxRawBytes">) {
  let redactor: Redactor | undefined;
  let turnRedactor: TurnRedactor | undefined;
  const current = (): TurnRedactor => {
    const known = newest();
    if (known !== redactor || turnRedactor === undefined) turnRedactor = known.forTurn(turnRedactor);
    redactor = known;
    return turnRedactor;
  };
  return {
    isPlain: (delta: Delta): boolean => current().isPlain(delta),
    note: (delta: Delta): void => current().note(delta),
    events(entries: readonly LaneEntry[]): RedactedBatch {
      const [first] = entries;
      if (first !== undefined && entries.length === 1) return current().redactEvents([first.event]);
      return current().redactEvents(entries.map(({ event }) => event));
    },
    rawOf(entries: readonly LaneEntry[], batch: RedactedBatch, index: number): Pick<EventEntry, "raw" | "rawCut"> {
      const origin = batch.origins?.[index] ?? index;
      const line = entries[origin]?.raw;
      if (line === undefined || hasCutDelta(entries, origin, batch)) return noLine;
      const raw = newest().redactStart(line, maxRawBytes);
      return line.length > maxRawBytes ? { raw, rawCut: true } : { raw };
    },
  };
}

/**
 * Whether an entry's raw line belongs to a delta that was held back or redacted: the line may contain part of a secret that cannot be
 * recognised in that line alone. Such a line may be attached to an event that closes or opens a block, with its delta further on.
 */
function hasCutDelta(entries: readonly LaneEntry[], origin: number, { kept, said, origins }: RedactedBatch): boolean {
  if (origins === undefined && kept === said) return false;
  for (let index = origin; index < entries.length; index += 1) {
    const { event, raw } = entries[index] as LaneEntry;
    if (index > origin && raw !== undefined) return false;
    if (isDelta(event) || event.type === "tool-output") return !kept.includes(event);
    if (!isEdge(event)) return false;
  }
  return false;
}

function isEdge({ type }: AgentEvent): boolean {
  return type === "text-start" || type === "text-end" || type === "thinking-start" || type === "thinking-end";
}

/** Listeners that follow a turn while its log is still being written. `onLeave` is called when one leaves. */
function createLiveListeners(lastSeq: number, onLeave: () => void) {
  const listeners = new Set<LiveListener>();
  let notifiedSeq = lastSeq;
  let sending: Promise<unknown> | undefined;
  /** A write failed: send nothing more, since it would appear to follow events that were lost. */
  let isSilent = false;

  const notify = (written: readonly LiveEvent[]): void => {
    if (isSilent) return;
    notifiedSeq = written.at(-1)?.seq ?? notifiedSeq;
    for (const listener of listeners) listener.onWritten(written);
  };
  const sendLater = (written: readonly LiveEvent[], durable: Promise<unknown> | undefined): void => {
    const sent = Promise.all([sending, durable]).then(
      () => notify(written),
      () => {
        isSilent = true;
      },
    );
    sending = sent;
    void sent.then(() => {
      if (sending === sent) sending = undefined;
    });
  };

  return {
    add(listener: LiveListener): () => void {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        onLeave();
      };
    },
    /**
     * Sends in order: events that may go at once wait for earlier ones that may not. Events that fail to become durable, and all that
     * follow them, are never sent.
     */
    send(written: readonly LiveEvent[], durable: Promise<unknown> | undefined): void {
      if (written.length === 0) return;
      if (durable === undefined && sending === undefined) notify(written);
      else sendLater(written, durable);
    },
    /** Sends more of the newest event to its only listener. False if nothing was sent and the text must come as an event. */
    sendMore({ seq, offset }: Added, delta: AgentEventOf<"text-delta">): boolean {
      if (isSilent || sending !== undefined || listeners.size > 1) return false;
      for (const { onMore } of listeners) return onMore(seq, offset, delta);
      return true;
    },
    notifiedSeq: () => notifiedSeq,
    noteDurable(): void {
      for (const { onDurable } of listeners) onDurable();
    },
  };
}
