/** A timer for one thing at a time. */
export interface OneTimer {
  /** At most one is set; without a wait it fires as soon as the loop comes round. */
  set(work: () => void, delayMs: number): void;
  /** The same before the loop comes round: when what runs now has given way. */
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
