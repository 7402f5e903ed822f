import type { AgentEvent } from "@caret/protocol";
import type { Redactor } from "../redaction/redactor.ts";
import { capOutputs } from "./cap-outputs.ts";
import { coalesceDeltas } from "./coalesce-deltas.ts";
import type { EventEntry, EventStore, StoredEvent } from "./event-store.ts";
import { createLiveListeners, type LiveListener } from "./live-listeners.ts";

export interface TurnLogOptions {
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

/** More of a line is redacted than is kept, so that a secret across the cut is known for one. */
const CUT_MARGIN = 8_192;

/** Events as they will be in the log, and when they are. */
export interface Writing {
  readonly events: readonly StoredEvent[];
  readonly durable: Promise<unknown>;
}

/** Writes the events of one turn: joined, redacted, each beside its upstream line, in order. The one way into the log. */
export interface TurnLog {
  /** Remember the upstream line behind an event that is about to be written. */
  noteRaw(event: AgentEvent, line: string): void;
  /** Resolves when they are durable. The events are those a follower may see. */
  write(events: readonly AgentEvent[]): Promise<readonly StoredEvent[]>;
  /**
   * As `write` does, for whoever has other things to do meanwhile: the disk may take its time, and listeners are told at
   * once. Only the end of a turn they hear when it is durable: a client that has heard it goes on from there, and must
   * find it in the log of whichever gateway it asks next.
   */
  writeBehind(events: readonly AgentEvent[]): Writing;
  /** Hear of events before they are durable. Returns the function that ends it. */
  listen(listener: LiveListener): () => void;
  /** The number of the newest event that was written, durable or not. */
  readonly writtenSeq: number;
}

export function createTurnLog(options: TurnLogOptions): TurnLog {
  const { store, sessionId, turnId, maxRawBytes, wallClock } = options;
  const live = createLiveListeners();
  let redactor: Redactor | undefined;
  let turnRedactor: ReturnType<Redactor["forTurn"]> | undefined;
  let raw = new Map<AgentEvent, string>();
  let seq = options.lastSeq;

  const redactEvents = (events: readonly AgentEvent[]): readonly AgentEvent[] => {
    const current = options.redactor();
    if (current !== redactor || turnRedactor === undefined) turnRedactor = current.forTurn(turnRedactor);
    redactor = current;
    return turnRedactor.redactEvents(events);
  };

  const rawOf = (event: AgentEvent | undefined): Pick<EventEntry, "raw" | "rawCut"> => {
    const line = event === undefined ? undefined : raw.get(event);
    if (line === undefined) return {};
    const kept = options
      .redactor()
      .redactText(line.slice(0, maxRawBytes + CUT_MARGIN))
      .slice(0, maxRawBytes);
    return line.length > maxRawBytes ? { raw: kept, rawCut: true } : { raw: kept };
  };

  const toEntries = (events: readonly AgentEvent[]): readonly EventEntry[] => {
    const joined = coalesceDeltas(events);
    const redacted = redactEvents(capOutputs(joined));
    const at = wallClock();
    if (raw.size === 0) return redacted.map((event) => ({ turnId, event, at }));
    // Redaction keeps order and number except where it holds a delta back, and deltas have no raw line of their own.
    const origins = redacted === joined ? joined : joined.filter((event) => raw.has(event));
    const entries = redacted.map((event) => ({ turnId, event, at, ...rawOf(originOf(event, origins)) }));
    raw = new Map();
    return entries;
  };

  const append = (events: readonly AgentEvent[], patient: boolean): Writing => {
    const entries = toEntries(events);
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
    const durable = store.append(sessionId, expected, entries, { patient }).then(live.noteDurable);
    live.tell(written, patient ? undefined : durable);
    return { events: written, durable };
  };

  return {
    noteRaw: (event, line) => void raw.set(event, line),
    async write(events) {
      const writing = append(events, false);
      await writing.durable;
      return writing.events;
    },
    writeBehind: (events) => append(events, events.at(-1)?.type !== "turn-end"),
    listen: live.add,
    get writtenSeq() {
      return seq;
    },
  };
}

/** The event a redacted one was made from: itself, or one of the same type and subject. */
function originOf(event: AgentEvent, origins: readonly AgentEvent[]): AgentEvent | undefined {
  if (origins.includes(event)) return event;
  return origins.find((origin) => origin.type === event.type && subjectOf(origin) === subjectOf(event));
}

function subjectOf(event: AgentEvent): string {
  if ("callId" in event) return event.callId ?? "";
  return "blockId" in event ? event.blockId : "";
}
