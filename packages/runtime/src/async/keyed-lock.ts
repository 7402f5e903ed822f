/** Lets one piece of work per key happen at a time, in the order it was asked for. */
export interface KeyedLock {
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

const nobody = Promise.resolve();

export function createKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(key, work) {
      // Whether the one before us failed is its own business.
      const done = (tails.get(key) ?? nobody).then(work, work);
      tails.set(key, done);
      const leave = (): void => {
        if (tails.get(key) === done) tails.delete(key);
      };
      void done.then(leave, leave);
      return done;
    },
  };
}
