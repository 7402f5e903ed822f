/**
 * Whether a worker can be sure of its leases. One that was cut off has given everything up, and is not sure again before a renewal has
 * succeeded: until then it takes nothing, and what it had asked for before may have run out by the time its answer comes.
 */
export interface LeaseStanding {
  readonly isSure: boolean;
  /** How often everything was given up. What was asked for under another count is not held. */
  readonly lapses: number;
  /** Resolves when it is sure; at once when it is. */
  sure(): Promise<void>;
  /** Resolves when everything is given up; at once while it is not sure. */
  lapsed(): Promise<void>;
  /** Everything is given up. */
  lapse(): void;
  /** A renewal has succeeded in time. */
  renewed(): void;
  onSure(listener: () => void): void;
}

export function createLeaseStanding(): LeaseStanding {
  const listeners: (() => void)[] = [];
  let lapses = 0;
  let wait: PromiseWithResolvers<void> | undefined;
  let lapsing = Promise.withResolvers<void>();
  return {
    get isSure() {
      return wait === undefined;
    },
    get lapses() {
      return lapses;
    },
    sure: async () => await wait?.promise,
    lapsed: () => lapsing.promise,
    lapse() {
      lapses += 1;
      wait ??= Promise.withResolvers();
      lapsing.resolve();
    },
    renewed() {
      if (wait === undefined) return;
      wait.resolve();
      wait = undefined;
      lapsing = Promise.withResolvers();
      for (const listener of listeners) listener();
    },
    onSure(listener) {
      listeners.push(listener);
    },
  };
}
