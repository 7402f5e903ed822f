import type { AgentEvent } from "@caret/protocol";
import type { CommandOptions, EventEntry, EventStore, LogWriter, StoredEvent } from "../log/event-store.ts";
import { createLiveListeners, type LiveListener } from "../log/live-listeners.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { RedactedBatch } from "../redaction/turn-redactor.ts";
import { createRawLines } from "./raw-lines.ts";
import { createSaidEvents, type SaidEvents } from "./said-events.ts";

/** More than a person reads or a page shows. The agent itself has seen all of it. */
const MAX_OUTPUT_CHARACTERS = 1024 * 1024;

interface TurnLogOptions {
  readonly store: EventStore;
  /** The one that knows every secret known by now: a turn may learn of more as it begins. */
  readonly redactor: () => Redactor;
  readonly sessionId: string;
  readonly turnId: string;
  /** Where the session's log ends now. */
  readonly lastSeq: number;
  readonly maxRawBytes: number;
  readonly wallClock: () => number;
}

/** Events as they will be in the log, and when they are. */
interface Writing {
  readonly events: readonly StoredEvent[];
  readonly durable: Promise<unknown>;
}

/**
 * Writes the events of one turn: joined, redacted, each beside its upstream line, in order. The one way into the log.
 * Only what is kept is redacted: listeners hear events as they were said.
 */
export interface TurnLog {
  /** Remember the upstream line behind an event that is about to be written. */
  noteRaw(event: AgentEvent, line: string): void;
  /** Resolves when they are durable. Gives them as they are kept. */
  write(events: readonly AgentEvent[], options?: CommandOptions): Promise<readonly StoredEvent[]>;
  /**
   * As `write` does, for whoever has other things to do meanwhile: the disk may take its time, and listeners are told at
   * once. Only the end of a turn they hear when it is durable: a client that has heard it goes on from there, and must
   * find it in the log of whichever gateway it asks next.
   */
  writeBehind(events: readonly AgentEvent[]): Writing;
  /** Hear of events before they are durable, as they were said. Returns the function that ends it. */
  listen(listener: LiveListener): () => void;
  /** What the log keeps otherwise than it was said. */
  readonly said: Pick<SaidEvents, "restore" | "find">;
  /** The number of the newest event that was written, durable or not. */
  readonly writtenSeq: number;
}

export function createTurnLog(options: TurnLogOptions): TurnLog {
  const { store, sessionId, turnId, wallClock } = options;
  const live = createLiveListeners();
  const said = createSaidEvents();
  const raw = createRawLines(options);
  let redactor: Redactor | undefined;
  let turnRedactor: ReturnType<Redactor["forTurn"]> | undefined;
  let seq = options.lastSeq;
  const writer: LogWriter = {};

  const redactEvents = (events: readonly AgentEvent[]): RedactedBatch => {
    const current = options.redactor();
    if (current !== redactor || turnRedactor === undefined) turnRedactor = current.forTurn(turnRedactor);
    redactor = current;
    return turnRedactor.redactEvents(events);
  };

  const toEntries = ({ kept, said }: RedactedBatch, joined: readonly AgentEvent[]): readonly EventEntry[] => {
    const at = wallClock();
    const linesOf = raw.take(joined, said);
    return kept.map((event, index) => ({ turnId, event, at, ...linesOf?.(index) }));
  };

  /** What listeners hear: the entries themselves, where nothing was redacted. */
  const toTold = (written: readonly StoredEvent[], batch: RedactedBatch): readonly StoredEvent[] => {
    if (batch.said === batch.kept) return written;
    return written.map((stored, index) => {
      const event = said.note(stored.seq, stored.event, batch.said[index] ?? stored.event);
      return event === stored.event ? stored : { ...stored, event };
    });
  };

  const append = (events: readonly AgentEvent[], patient: boolean, { command }: CommandOptions = {}): Writing => {
    const joined = coalesceDeltas(events);
    const batch = redactEvents(capOutputs(joined));
    const entries = toEntries(batch, joined);
    if (entries.length === 0) return { events: [], durable: Promise.resolve([]) };
    const expected = seq;
    seq += entries.length;
    const written = entries.map(({ event, at = 0 }, index) => ({
      sessionId,
      seq: expected + index + 1,
      turnId,
      at,
      event,
    }));
    const told = toTold(written, batch);
    const durable = store
      .append(sessionId, expected, entries, {
        patient,
        writer,
        keepTrying: true,
        ...(command === undefined ? {} : { command }),
      })
      .then(live.noteDurable);
    live.tell(told, patient ? undefined : durable);
    return { events: written, durable };
  };

  return {
    noteRaw: raw.note,
    async write(events, options) {
      const writing = append(events, false, options);
      await writing.durable;
      return writing.events;
    },
    writeBehind: (events) => append(events, events.at(-1)?.type !== "turn-end"),
    listen: live.add,
    said,
    get writtenSeq() {
      return seq;
    },
  };
}

/**
 * What an agent's tools printed, up to a limit. A tool that prints fifty megabytes would otherwise have every byte of
 * them searched for secrets, logged and sent, while all other streams wait. Gives back the same array when nothing is cut.
 */
export function capOutputs(events: readonly AgentEvent[], limit = MAX_OUTPUT_CHARACTERS): readonly AgentEvent[] {
  const isTooLong = (event: AgentEvent): boolean => event.type === "tool-result" && event.output.length > limit;
  return events.some(isTooLong) ? events.map((event) => capOutput(event, limit)) : events;
}

function capOutput(event: AgentEvent, limit: number): AgentEvent {
  if (event.type !== "tool-result" || event.output.length <= limit) return event;
  const left = event.output.length - limit;
  return { ...event, output: `${event.output.slice(0, limit)}\n[${left} more characters were left out]` };
}

/**
 * Join neighbouring deltas of one block. A batch is what came in one read, so nothing waits for this; but a flood of
 * tiny deltas is then logged, redacted and sent as one event per read instead of hundreds.
 */
export function coalesceDeltas(events: readonly AgentEvent[]): readonly AgentEvent[] {
  const joined: AgentEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (last !== undefined && isDelta(event) && isDelta(last) && sameBlock(last, event))
      joined[joined.length - 1] = { ...last, text: last.text + event.text };
    else joined.push(event);
  }
  return joined.length === events.length ? events : joined;
}

type Delta = Extract<AgentEvent, { readonly type: "text-delta" | "thinking-delta" }>;

function isDelta(event: AgentEvent): event is Delta {
  return event.type === "text-delta" || event.type === "thinking-delta";
}

function sameBlock(a: Delta, b: Delta): boolean {
  return a.type === b.type && a.blockId === b.blockId;
}
