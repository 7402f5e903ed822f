/** Runs work with a common key in the order given, and other work concurrently. */
export interface OrderedWork {
  run<Outcome>(keys: readonly string[], work: () => Promise<Outcome>): Promise<Outcome>;
  /** Resolves when all work given so far is done. */
  settled(): Promise<void>;
}

export function createOrderedWork(): OrderedWork {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(keys, work) {
      const done = Promise.all(keys.map((key) => tails.get(key))).then(work);
      const tail = Promise.allSettled([done]);
      for (const key of keys) tails.set(key, tail);
      void tail.then(() => {
        for (const key of keys) if (tails.get(key) === tail) tails.delete(key);
      });
      return done;
    },
    async settled() {
      await Promise.all(tails.values());
    },
  };
}
