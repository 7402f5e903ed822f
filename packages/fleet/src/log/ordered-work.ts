/** Work that is about the same thing is done in the order in which it was given; other work at the same time. */
export interface OrderedWork {
  run<Outcome>(keys: readonly string[], work: () => Promise<Outcome>): Promise<Outcome>;
  /** All that was given until now is over. */
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
