/** Runs one piece of work per key at a time, in call order. */
export interface KeyedLock {
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

const nobody = Promise.resolve();

export function createKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(key, work) {
      // Runs whether or not the previous work failed.
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
