/** Bytes to send, in order, taken one at a time by the connection's writer. */
export interface Outgoing extends AsyncIterable<Uint8Array> {
  /** Dropped after `close`. */
  send(bytes: Uint8Array): void;
  close(): void;
  /** How long the oldest bytes have waited for the connection; 0 if none wait. */
  waitedMs(): number;
}

export function createOutgoing(now: () => number): Outgoing {
  const queue: { readonly bytes: Uint8Array; readonly since: number }[] = [];
  let taker: ((result: IteratorResult<Uint8Array>) => void) | undefined;
  let takenAt: number | undefined;
  let isClosed = false;
  const done: IteratorResult<Uint8Array> = { done: true, value: undefined };

  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    // Asking for more implies that the previous bytes were written.
    takenAt = undefined;
    const first = queue.shift();
    if (first === undefined) {
      if (isClosed) return done;
      return await new Promise((resolve) => {
        taker = resolve;
      });
    }
    takenAt = first.since;
    return { done: false, value: first.bytes };
  };

  return {
    send(bytes) {
      if (isClosed) return;
      if (taker === undefined) return void queue.push({ bytes, since: now() });
      takenAt = now();
      taker({ done: false, value: bytes });
      taker = undefined;
    },
    close() {
      isClosed = true;
      taker?.(done);
      taker = undefined;
    },
    waitedMs() {
      const since = takenAt ?? queue[0]?.since;
      return since === undefined ? 0 : now() - since;
    },
    [Symbol.asyncIterator]: () => ({
      next,
      async return() {
        isClosed = true;
        queue.length = 0;
        return done;
      },
      async throw() {
        isClosed = true;
        queue.length = 0;
        return done;
      },
    }),
  };
}
