/** A timer for one thing at a time. */
export interface OneTimer {
  /** At most one is set; without a wait it fires as soon as the loop comes round. */
  set(work: () => void, delayMs: number): void;
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
    clear,
    isSet: () => cancel !== undefined,
  };
}
