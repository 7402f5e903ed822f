import type { EventStore } from "@caret/runtime";

/** What of a log waits while another process holds it, and what waits while its database does not answer at all. */
const writes = ["append", "attachUpstream", "createSession", "updateSession"] as const;
const reads = ["getSession", "read", "runningTurns", "usageTotals", "countTurns", "findCommand"] as const;
type Method = (typeof writes)[number] | (typeof reads)[number];

/** A log that waits from one of its calls on, as one does that another process holds. */
export class HeldLog {
  readonly #store: EventStore;
  readonly #originals = new Map<Method, unknown>();
  #gate: PromiseWithResolvers<void> | undefined;
  #untilHeld = Number.POSITIVE_INFINITY;
  #holdsReads = false;
  /** How many writes have been asked for. */
  writes = 0;
  /** How many calls wait now. */
  waiting = 0;

  constructor(store: EventStore) {
    this.#store = store;
    for (const method of [...writes, ...reads]) this.#wrap(method);
  }

  /** The write of this number, counted from now, is the first that waits; every later one waits behind it. */
  holdFrom(write: number, { reads: holdsReads = false } = {}): void {
    this.writes = 0;
    this.#untilHeld = write;
    this.#holdsReads = holdsReads;
    this.#gate ??= Promise.withResolvers();
  }

  /** What waits goes on, in its order. */
  release(): void {
    this.#untilHeld = Number.POSITIVE_INFINITY;
    this.#gate?.resolve();
    this.#gate = undefined;
  }

  /** The log is as it was before. */
  restore(): void {
    this.release();
    Object.assign(this.#store, Object.fromEntries(this.#originals));
  }

  #wrap(method: Method): void {
    const original = this.#store[method] as (...args: unknown[]) => Promise<unknown>;
    this.#originals.set(method, original);
    const isWrite = (writes as readonly string[]).includes(method);
    const held = async (...args: unknown[]): Promise<unknown> => {
      const isHeld = isWrite ? this.writes++ >= this.#untilHeld : this.#holdsReads && this.writes > this.#untilHeld;
      if (isHeld && this.#gate !== undefined) {
        this.waiting += 1;
        await this.#gate.promise;
        this.waiting -= 1;
      }
      return await original.apply(this.#store, args);
    };
    Object.assign(this.#store, { [method]: held });
  }
}
