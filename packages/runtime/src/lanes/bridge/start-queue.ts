/** Limits how many run at once; the others wait in order of arrival. */
export interface StartQueue {
  /**
   * Waits for a place. Returns the function that frees it, which can be called more than once. Rejects with the signal's reason if it
   * aborts before.
   */
  enter(signal: AbortSignal): Promise<() => void>;
}

export function createStartQueue(places: number): StartQueue {
  const waiting = new Set<() => void>();
  let free = places;

  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else {
      waiting.delete(next);
      next();
    }
  };

  const waitForPlace = async (signal: AbortSignal): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = (): void => {
      if (waiting.delete(resolve)) reject(signal.reason);
    };
    waiting.add(resolve);
    signal.addEventListener("abort", giveUp, { once: true });
    await promise;
    signal.removeEventListener("abort", giveUp);
  };

  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (free > 0) free -= 1;
      else await waitForPlace(signal);
      let isInside = true;
      return () => {
        if (isInside) leave();
        isInside = false;
      };
    },
  };
}
