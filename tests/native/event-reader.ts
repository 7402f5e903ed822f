import { setTimeout as after } from "node:timers/promises";
import type { EventEnvelope } from "@caret/protocol";

/** What a reader has received of one session, exactly as it came. */
export class Received {
  readonly texts: string[] = [];
  readonly #ended = new Set<string>();
  #last = 0;

  /** Keeps whatever comes, in the order in which it came: a repeat or a gap is for the test to find. */
  add(text: string): void {
    const { seq, turnId, event } = JSON.parse(text) as Partial<EventEnvelope>;
    this.texts.push(text);
    this.#last = seq ?? this.#last + 1;
    if (event?.type === "turn-end" && turnId !== undefined) this.#ended.add(turnId);
  }

  /** The number of the newest event, by which to go on. */
  get last(): number {
    return this.#last;
  }

  hasEnd(turnId: string): boolean {
    return this.#ended.has(turnId);
  }
}

export interface ReaderOptions {
  readonly baseUrl: string;
  readonly sessionId: string;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** Reads one session's events over as many connections as it takes. Resolves when the signal fires; rejects when it cannot go on. */
export type EventReader = (options: ReaderOptions, received: Received) => Promise<void>;

const LONGEST_WAIT_MS = 40;

/** Reconnects whenever the last connection is over, after a moment. */
export function reconnecting(connect: (options: ReaderOptions, received: Received) => Promise<void>): EventReader {
  return async (options, received) => {
    while (!options.signal.aborted) {
      await connect(options, received);
      await after(options.random() * LONGEST_WAIT_MS);
    }
  };
}
