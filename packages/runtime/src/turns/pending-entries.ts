import { type AgentEvent, type AgentEventOf, type Delta, isDelta, isSameBlock } from "@caret/protocol";
import type { EventEntry } from "../log/event-store.ts";
import { lengthOfEvent } from "../log/length-of-event.ts";

/** Joined deltas stop growing at this length: readers take an event in one piece. */
const MAX_JOINED = 16 * 1024;

/** Position of added text: its event's number, and how much of that event's text came before. */
export interface Added {
  readonly seq: number;
  readonly offset: number;
}

/** A waiting entry, with its event as it was said. */
export interface Waiting {
  readonly seq: number;
  readonly entry: EventEntry;
  readonly said: AgentEvent;
}

/** An entry whose text can still grow: as kept, and as said if that differs. */
interface Growing {
  readonly seq: number;
  readonly entry: EventEntry;
  readonly said: AgentEvent;
  kept: string;
  spoken: string;
  isSame: boolean;
}

/**
 * What a turn has said and the log has not yet taken. Entries are numbered as they come; consecutive deltas that wait for the same commit
 * become one event. Once taken, nothing more is added.
 */
export class PendingEntries {
  readonly afterSeq: number;
  readonly #waiting: Growing[] = [];
  #characters = 0;
  #isTaken = false;
  /** Events up to this number no longer grow. */
  #sealedSeq = 0;

  constructor(afterSeq: number) {
    this.afterSeq = afterSeq;
  }

  get lastSeq(): number {
    return this.afterSeq + this.#waiting.length;
  }

  get characters(): number {
    return this.#characters;
  }

  get waiting(): readonly Waiting[] {
    return this.#isTaken ? [] : this.#waiting.map(whole);
  }

  add(entry: EventEntry, said: AgentEvent): Added {
    const { event } = entry;
    this.#characters += lengthOfEvent(event);
    if (isDelta(said) && isDelta(event)) {
      const last = this.#before(said);
      if (last !== undefined) return grow(last, event, said);
    }
    const seq = this.lastSeq + 1;
    const [kept, spoken] = [isDelta(event) ? event.text : "", isDelta(said) ? said.text : ""];
    this.#waiting.push({ seq, entry, said, kept, spoken, isSame: said === event });
    return { seq, offset: 0 };
  }

  /** Position of a delta that would continue the newest waiting event; undefined if it would not. */
  placeOfMore(delta: AgentEventOf<"text-delta">): Added | undefined {
    const last = this.#before(delta);
    return last && { seq: last.seq, offset: last.spoken.length };
  }

  /** Seals the pending events: the next delta starts a new event. */
  seal(): void {
    this.#sealedSeq = this.lastSeq;
  }

  /** The newest waiting entry, if `next` continues it. */
  #before(next: Delta): Growing | undefined {
    const last = this.#waiting.at(-1);
    return last !== undefined && last.seq > this.#sealedSeq && goesOn(last, next) ? last : undefined;
  }

  /** Takes everything that waits; empty if already taken. */
  take(): readonly Waiting[] {
    if (this.#isTaken) return [];
    this.#isTaken = true;
    return this.#waiting.map(whole);
  }
}

function goesOn({ said, spoken }: Growing, next: Delta): boolean {
  return isDelta(said) && isSameBlock(said, next) && spoken.length < MAX_JOINED;
}

function grow(last: Growing, kept: Delta, said: Delta): Added {
  const offset = last.spoken.length;
  last.isSame &&= said === kept;
  last.kept += kept.text;
  last.spoken += said.text;
  return { seq: last.seq, offset };
}

/** The entry with its full text; reuses the added events if nothing was joined to them. */
function whole({ seq, entry, said, kept, spoken, isSame }: Growing): Waiting {
  if (!isDelta(entry.event) || !isDelta(said)) return { seq, entry, said };
  if (kept.length === entry.event.text.length && spoken.length === said.text.length) return { seq, entry, said };
  const event: Delta = { ...entry.event, text: kept };
  return { seq, entry: { ...entry, event }, said: isSame ? event : { ...said, text: spoken } };
}
