import { CaretError } from "@caret/protocol";

/** Work beside the turns, for no particular caller: sweeping, pruning, ending turns of dead processes. */
export interface BackgroundWork {
  /** Do it now. The signal fires when everything is about to close: whatever takes long has to look at it. */
  run(work: (signal: AbortSignal) => Promise<unknown>): void;
  /** Do it now, and again so long after each time it is over. */
  every(ms: number, work: (signal: AbortSignal) => Promise<unknown>): void;
  /** Resolves when nothing of it is under way. To be called before what it works on is closed. */
  close(): Promise<void>;
}

/** `onError` hears of what went wrong, but not of what closing itself made fail. */
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
