import { killMarked } from "./sweep-leftovers.ts";

export type ReapTime = "soon" | "now";

/** Ends processes that left the group of their child, by their mark. */
export interface StrayReaper {
  /** Resolves when everything that carries the mark has been killed. */
  reap(mark: string, time: ReapTime): Promise<void>;
  /** Resolves when nothing waits to be reaped, after doing at once what was scheduled for soon. */
  settled(): Promise<void>;
}

/**
 * Finding strays requires visiting every process, which costs milliseconds. So marks are collected and searched for together: `soon`
 * within the delay, `now` on the next turn of the event loop.
 */
export function createStrayReaper({ delayMs = 500 } = {}): StrayReaper {
  let marks = new Set<string>();
  let done = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;

  const walk = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const [walked, finished] = [marks, done];
    marks = new Set();
    done = Promise.withResolvers();
    killMarked(walked);
    finished.resolve();
  };

  return {
    reap(mark, time) {
      marks.add(mark);
      if (time === "now") {
        clearTimeout(timer);
        timer = setTimeout(walk, 0);
      } else timer ??= setTimeout(walk, delayMs);
      return done.promise;
    },
    async settled() {
      if (timer !== undefined) walk();
    },
  };
}
