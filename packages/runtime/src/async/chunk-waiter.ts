import { Alarm } from "./alarm.ts";

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
  readonly #alarm = new Alarm(() => this.#settle({ kind: "expired" }));

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
    this.#alarm.set(waitMs);
    return promise;
  }

  close(): void {
    this.#alarm.close();
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  #onAbort = (): void => {
    this.#isAborted = true;
    this.#settle({ kind: "aborted" });
  };
}

function toChunk<Chunk>(result: IteratorResult<Chunk>): NextChunk<Chunk> {
  return result.done === true ? { kind: "end" } : { kind: "chunk", chunk: result.value };
}
