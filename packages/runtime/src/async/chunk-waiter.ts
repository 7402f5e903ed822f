import { LONGEST_TIMER_MS } from "@caret/protocol";

export type NextChunk<Chunk> =
  | { readonly kind: "chunk"; readonly chunk: Chunk }
  | { readonly kind: "end" }
  | { readonly kind: "expired" }
  | { readonly kind: "aborted" };

/**
 * Waits for one chunk of a stream after the other, each no longer than its time and not past an abort. One abort listener
 * and one timer serve all waits of a stream, so that a wait costs neither. `close` frees both.
 */
export class ChunkWaiter {
  readonly #signal: AbortSignal;
  /** Kept here: to ask a signal that is made of others looks at all of them. */
  #isAborted: boolean;
  /** Settles the newest wait; does nothing when its chunk has come. */
  #settle: (next: { readonly kind: "expired" | "aborted" }) => void = () => undefined;
  #deadline = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #firesAt = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.#isAborted = signal.aborted;
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** The pull itself stays pending when the time is over or the signal is aborted. One wait at a time. */
  next<Chunk>(pull: Promise<IteratorResult<Chunk>>, waitMs: number): Promise<NextChunk<Chunk>> {
    if (this.#isAborted) return Promise.resolve({ kind: "aborted" });
    const { promise, resolve, reject } = Promise.withResolvers<NextChunk<Chunk>>();
    this.#settle = resolve;
    pull.then((result) => resolve(toChunk(result)), reject);
    this.#arm(waitMs);
    return promise;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  /** A timer that fires too early is armed again then; only one that would fire too late is replaced. */
  #arm(waitMs: number): void {
    const now = performance.now();
    this.#deadline = now + waitMs;
    if (waitMs === Number.POSITIVE_INFINITY) return;
    if (this.#timer !== undefined && this.#firesAt <= this.#deadline) return;
    clearTimeout(this.#timer);
    const timerMs = Math.min(Math.max(waitMs, 0), LONGEST_TIMER_MS);
    this.#firesAt = now + timerMs;
    this.#timer = setTimeout(this.#onTimer, timerMs);
  }

  #onTimer = (): void => {
    this.#timer = undefined;
    const leftMs = this.#deadline - performance.now();
    if (leftMs > 0) return this.#arm(leftMs);
    // A machine that slept or a busy loop makes timers late: what has come meanwhile counts as in time.
    const settle = this.#settle;
    setImmediate(() => settle({ kind: "expired" }));
  };

  #onAbort = (): void => {
    this.#isAborted = true;
    this.#settle({ kind: "aborted" });
  };
}

function toChunk<Chunk>(result: IteratorResult<Chunk>): NextChunk<Chunk> {
  return result.done === true ? { kind: "end" } : { kind: "chunk", chunk: result.value };
}
