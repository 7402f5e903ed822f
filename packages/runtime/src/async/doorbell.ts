/** Wakes one waiter. A ring without a waiter is not lost. */
export class Doorbell {
  #isRung = false;
  #wake: () => void = () => undefined;

  readonly ring = (): void => {
    this.#isRung = true;
    this.#wake();
  };

  /** Forgets any ring. Call before checking what it rings for. */
  clear(): void {
    this.#isRung = false;
  }

  /** Resolves at the next ring, or at once if it has rung since the last time. */
  readonly rung = async (): Promise<void> => {
    if (!this.#isRung) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    this.#isRung = false;
  };
}
