import { type AgentEvent, type Delta, isDelta, isSameBlock } from "@caret/protocol";
import { type EventEntry, lengthOfEvent } from "../log/event-store.ts";

/** Text of this length is not joined any further: readers take an event in one piece. */
const MAX_JOINED = 16 * 1024;

/** Where an event stands that was added: its number, and how much of its text was there before. */
export interface Added {
  readonly seq: number;
  readonly offset: number;
}

/** An entry that waits, and its event as it was said. */
export interface Waiting {
  readonly seq: number;
  readonly entry: EventEntry;
  readonly said: AgentEvent;
}

/**
 * What a turn has said and the log has not taken. It is numbered as it comes; deltas that go on from one another and wait
 * for the same commit are one event. Once it was taken nothing more is added.
 */
export class PendingEntries {
  readonly afterSeq: number;
  readonly #waiting: Waiting[] = [];
  #characters = 0;
  #isTaken = false;

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
    return this.#isTaken ? [] : this.#waiting;
  }

  add(entry: EventEntry, said: AgentEvent): Added {
    this.#characters += lengthOfEvent(entry.event);
    const last = this.#waiting.at(-1);
    if (last !== undefined && isDelta(said) && isDelta(last.said) && goesOn(last.said, said)) {
      this.#waiting[this.#waiting.length - 1] = join(last, entry.event as Delta, said);
      return { seq: last.seq, offset: last.said.text.length };
    }
    const seq = this.lastSeq + 1;
    this.#waiting.push({ seq, entry, said });
    return { seq, offset: 0 };
  }

  /** Everything that waits; nothing when it was taken before. */
  take(): readonly Waiting[] {
    if (this.#isTaken) return [];
    this.#isTaken = true;
    return this.#waiting;
  }
}

function goesOn(last: Delta, next: Delta): boolean {
  return isSameBlock(last, next) && last.text.length < MAX_JOINED;
}

function join(last: Waiting, kept: Delta, said: Delta): Waiting {
  const before = last.entry.event as Delta;
  const event: Delta = { ...before, text: before.text + kept.text };
  const isSame = last.said === before && said === kept;
  const whole = isSame ? event : { ...said, text: (last.said as Delta).text + said.text };
  return { seq: last.seq, entry: { ...last.entry, event }, said: whole };
}
