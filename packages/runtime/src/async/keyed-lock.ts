/** Lets one piece of work per key happen at a time, in the order it was asked for. */
export interface KeyedLock {
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

export function createKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async run(key, work) {
      // Whether the one before us failed is its own business.
      const done = (tails.get(key) ?? Promise.resolve()).then(work, work);
      tails.set(key, done);
      try {
        return await done;
      } finally {
        if (tails.get(key) === done) tails.delete(key);
      }
    },
  };
}
