import {
  type AgentEvent,
  type AgentEventOf,
  cutToWeight,
  type TakeMore,
  weightOf,
  weightWithin,
} from "@caret/protocol";
import type { DoorRequest } from "./door-request.ts";

/** Finds the first of several strings in text that arrives in pieces. */
interface StopMatcher {
  /**
   * Takes the next piece. Returns the text that can be shown now: all but an end that may begin a stop sequence or, if one was found,
   * everything before it.
   */
  push(text: string): Matched;
  /** Nothing follows for now: returns the text held back, which can be shown after all. */
  flush(): string;
  /** Begins a new text, so no sequence spans the boundary. Call it after `flush`. */
  restart(): void;
}

interface Matched {
  readonly text: string;
  /** The sequence that was found. */
  readonly sequence: string | undefined;
}

export function createStopMatcher(sequences: readonly string[]): StopMatcher {
  const longest = Math.max(0, ...sequences.map(({ length }) => length));
  /** End of the text, long enough to find a sequence that began before the next piece. */
  let tail = "";
  /** Characters at the end of `tail` that were not shown yet. */
  let held = 0;

  return {
    push(piece) {
      const text = tail + piece;
      const shown = tail.length - held;
      const found = earliest(text, sequences);
      if (found !== undefined) {
        tail = "";
        held = 0;
        return { text: text.slice(shown, Math.max(shown, found.at)), sequence: found.sequence };
      }
      const waiting = Math.min(openEnd(text, sequences), text.length - shown);
      tail = text.slice(Math.max(0, text.length - longest));
      held = waiting;
      return { text: text.slice(shown, text.length - waiting), sequence: undefined };
    },
    flush() {
      const text = tail.slice(tail.length - held);
      held = 0;
      return text;
    },
    restart() {
      tail = "";
    },
  };
}

/** The sequence that ends first: it would stop a model that emits one character at a time. */
function earliest(text: string, sequences: readonly string[]): { at: number; sequence: string } | undefined {
  const found = sequences
    .map((sequence) => ({ at: text.indexOf(sequence), sequence }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at + a.sequence.length - (b.at + b.sequence.length) || a.at - b.at);
  return found[0];
}

/** Length of the longest suffix that is a proper prefix of a sequence. */
function openEnd(text: string, sequences: readonly string[]): number {
  const lengths = sequences.map((sequence) => {
    let length = Math.min(sequence.length - 1, text.length);
    while (length > 0 && !text.endsWith(sequence.slice(0, length))) length -= 1;
    return length;
  });
  return Math.max(0, ...lengths);
}

/** Why an answer ends before its turn would. */
export type Cut = { readonly kind: "length" } | { readonly kind: "stop-sequence"; readonly sequence: string };

export interface AnswerLimits extends Pick<DoorRequest, "stopSequences" | "maxOutputTokens"> {
  /** What the door writes between two blocks of text. */
  readonly gap: string;
}

/**
 * Applies `stop` and `max_tokens`, which upstream does not: returns a batch's events up to where the answer must end, and then has a `cut`.
 * Only the text of this one answer counts, not thinking or the agent's own tool activity. Tokens are estimated. An answer with client calls
 * is no longer cut, since the client has to run them.
 */
export interface AnswerLimiter {
  read(batch: readonly AgentEvent[]): readonly AgentEvent[];
  readonly cut: Cut | undefined;
  /** Wraps `more`: passes on text that is surely within the limits, and returns false for any other. */
  before(more: TakeMore): TakeMore;
}

const unlimited: AnswerLimiter = { read: (batch) => batch, cut: undefined, before: (more) => more };

export function createAnswerLimiter(limits: AnswerLimits): AnswerLimiter {
  const isLimited = limits.stopSequences.length > 0 || limits.maxOutputTokens !== undefined;
  return isLimited ? new LimitedAnswer(limits) : unlimited;
}

class LimitedAnswer implements AnswerLimiter {
  cut: Cut | undefined;
  readonly #gap: string;
  readonly #stops: ReturnType<typeof createStopMatcher>;
  readonly #hasStops: boolean;
  /** Weight of the text that may still follow. */
  #room: number;
  #hasText = false;
  /** The block of the text held back. */
  #block: { readonly blockId: string } = { blockId: "" };
  /** The client has been given calls: a turn that waits for their results cannot be ended. */
  #hasCalls = false;
  #out: AgentEvent[] = [];

  constructor({ stopSequences, maxOutputTokens, gap }: AnswerLimits) {
    this.#gap = gap;
    this.#stops = createStopMatcher(stopSequences);
    this.#hasStops = stopSequences.length > 0;
    this.#room = maxOutputTokens === undefined ? Number.POSITIVE_INFINITY : weightWithin(maxOutputTokens);
  }

  read(batch: readonly AgentEvent[]): readonly AgentEvent[] {
    this.#out = [];
    for (const event of batch) {
      if (this.#hasCalls) this.#out.push(event);
      else this.#readEvent(event);
      if (this.cut !== undefined) break;
    }
    return this.#out;
  }

  before(more: TakeMore): TakeMore {
    return (delta) => {
      if (this.#hasCalls) return more(delta);
      const weight = weightOf(delta.text);
      if (this.#hasStops || weight > this.#room || !more(delta)) return false;
      this.#room -= weight;
      return true;
    };
  }

  #readEvent(event: AgentEvent): void {
    switch (event.type) {
      case "text-start":
        return this.#begin(event);
      case "text-delta":
        return this.#say(event, event.text);
      case "text-end":
        return this.#end(event);
      case "plan":
        return this.#plan(event);
      case "tool-call":
        return this.#call(event);
      default:
        this.#out.push(event);
    }
  }

  #begin(event: AgentEventOf<"text-start">): void {
    this.#separate();
    if (this.cut === undefined) this.#out.push(event);
  }

  /** Another block begins. A sequence may begin in the gap that the door will write; without a gap, none continues into the block. */
  #separate(): void {
    this.#letGo();
    if (this.cut !== undefined || !this.#hasText) return;
    if (this.#gap === "") return this.#stops.restart();
    const { sequence } = this.#stops.push(this.#gap);
    this.#stops.flush();
    if (sequence !== undefined) this.cut = { kind: "stop-sequence", sequence };
  }

  /** Shows what is held back of a block that has not ended. */
  #letGo(): void {
    this.#show(this.#block, this.#stops.flush());
    if (this.cut !== undefined) this.#out.push({ type: "text-end", blockId: this.#block.blockId });
  }

  #say(block: { readonly blockId: string }, piece: string): void {
    const { text, sequence } = this.#stops.push(piece);
    this.#block = block;
    this.#show(block, text);
    if (this.cut === undefined && sequence !== undefined) this.cut = { kind: "stop-sequence", sequence };
    if (this.cut !== undefined) this.#out.push({ type: "text-end", blockId: block.blockId });
  }

  #show({ blockId }: { readonly blockId: string }, text: string): void {
    if (text === "") return;
    this.#hasText = true;
    const fitting = this.#fit(text);
    if (fitting !== "") this.#out.push({ type: "text-delta", blockId, text: fitting });
    if (fitting !== text) this.cut = { kind: "length" };
  }

  #fit(text: string): string {
    const fitting = cutToWeight(text, this.#room);
    this.#room -= weightOf(text);
    return fitting;
  }

  #end(event: AgentEventOf<"text-end">): void {
    this.#show(event, this.#stops.flush());
    this.#out.push(event);
  }

  /** Holds back no text beyond a client call: the answer may end with it, mid-block. */
  #call(event: AgentEventOf<"tool-call">): void {
    if (event.owner === "client") {
      this.#letGo();
      if (this.cut !== undefined) return;
      this.#hasCalls = true;
    }
    this.#out.push(event);
  }

  /** A plan is a whole text in one event. */
  #plan(event: AgentEventOf<"plan">): void {
    this.#separate();
    if (this.cut !== undefined) return;
    const { text, sequence } = this.#stops.push(event.text);
    const whole = sequence === undefined ? text + this.#stops.flush() : text;
    const fitting = this.#fit(whole);
    this.#hasText = true;
    this.#out.push(fitting === event.text ? event : { ...event, text: fitting });
    if (fitting !== whole) this.cut = { kind: "length" };
    else if (sequence !== undefined) this.cut = { kind: "stop-sequence", sequence };
  }
}
