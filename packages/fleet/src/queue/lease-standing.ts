/**
 * Whether a worker can be sure of its leases. A worker that was cut off has given everything up and is not sure again until a renewal
 * succeeds: until then it takes nothing, and leases requested earlier may have expired by the time of the answer.
 */
export interface LeaseStanding {
  readonly isSure: boolean;
  /** How often everything was given up. Leases requested under another count are not held. */
  readonly lapses: number;
  /** Resolves when it is sure; at once if it is. */
  sure(): Promise<void>;
  /** Resolves when everything is given up; at once if it is not sure. */
  lapsed(): Promise<void>;
  /** Records that everything was given up. */
  lapse(): void;
  /** Records a renewal that succeeded in time. */
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
