import { Alarm } from "./alarm.ts";

export type NextChunk<Chunk> =
  | { readonly kind: "chunk"; readonly chunk: Chunk }
  | { readonly kind: "end" }
  | { readonly kind: "expired" }
  | { readonly kind: "aborted" };

/**
 * Waits for one chunk of a stream after the other, each with a time limit and until an abort. One abort listener and one timer serve all
 * waits of a stream, so a wait costs neither. `close` frees both.
 */
export class ChunkWaiter {
  readonly #signal: AbortSignal;
  /** Cached: reading `aborted` of a combined signal visits all its parts. */
  #isAborted: boolean;
  /** Settles the newest wait; does nothing if its chunk has arrived. */
  #settle: (next: { readonly kind: "expired" | "aborted" }) => void = () => undefined;
  readonly #alarm = new Alarm(() => this.#settle({ kind: "expired" }));

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.#isAborted = signal.aborted;
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** The pull itself stays pending if the time is over or the signal aborts. One wait at a time. */
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
