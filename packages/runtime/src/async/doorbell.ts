/** Wakes one sleeper. A ring while nobody sleeps is not lost. */
export interface Doorbell {
  ring(): void;
  /** Resolves at the next ring, or at once when it rang since the last time. */
  rung(): Promise<void>;
}

export function createDoorbell(): Doorbell {
  let next = Promise.withResolvers<void>();
  return {
    ring: () => next.resolve(),
    async rung() {
      await next.promise;
      next = Promise.withResolvers<void>();
    },
  };
}
