/** A timer for one thing at a time. */
export interface OneTimer {
  /** Replaces a timer that is already set. With no delay it fires on the next turn of the loop. */
  set(work: () => void, delayMs: number): void;
  /** Fires before the next turn of the loop, after the current code has yielded. */
  setSoon(work: () => void): void;
  clear(): void;
  isSet(): boolean;
}

export function createOneTimer(): OneTimer {
  let cancel: (() => void) | undefined;
  const clear = (): void => {
    cancel?.();
    cancel = undefined;
  };
  return {
    set(work, delayMs) {
      clear();
      if (delayMs > 0) {
        const timer = setTimeout(work, delayMs);
        cancel = () => clearTimeout(timer);
      } else {
        const timer = setImmediate(work);
        cancel = () => clearImmediate(timer);
      }
    },
    setSoon(work) {
      clear();
      let isCancelled = false;
      cancel = () => {
        isCancelled = true;
      };
      queueMicrotask(() => {
        if (!isCancelled) work();
      });
    },
    clear,
    isSet: () => cancel !== undefined,
  };
}
