import { CaretError } from "@caret/protocol";

/** Work that runs alongside turns without a particular caller: sweeping, pruning, ending turns of dead processes. */
export interface BackgroundWork {
  /** Starts it now. The signal fires when everything is about to close: long work must check it. */
  run(work: (signal: AbortSignal) => Promise<unknown>): void;
  /** Starts it now, and again `ms` after each run has ended. */
  every(ms: number, work: (signal: AbortSignal) => Promise<unknown>): void;
  /** Resolves when no work is running. Call before closing what it works on. */
  close(): Promise<void>;
}

/** `onError` gets errors, except those caused by closing itself. */
export function createBackgroundWork(onError: (error: CaretError) => void): BackgroundWork {
  const closing = new AbortController();
  const { signal } = closing;
  const underWay = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();

  const run = (work: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
    const done = attempt(work)
      .catch((reason: unknown) => {
        if (!signal.aborted) onError(CaretError.from(reason));
      })
      .finally(() => underWay.delete(done));
    underWay.add(done);
    return done;
  };

  const attempt = async (work: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
    if (!signal.aborted) await work(signal);
  };

  return {
    run: (work) => void run(work),
    every(ms, work) {
      const again = async (): Promise<void> => {
        await run(work);
        if (signal.aborted) return;
        const timer = setTimeout(() => {
          timers.delete(timer);
          void again();
        }, ms).unref();
        timers.add(timer);
      };
      void again();
    },
    async close() {
      closing.abort();
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(underWay);
    },
  };
}
