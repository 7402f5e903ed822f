/** Less than this cannot be told from nothing. */
const FLOOR_MS = 3;
const ROUNDS = 3;
/** Halfway between 10 and 100 by their ratio: garbage collection and caches make linear work cost up to twenty times as much. */
export const MOST_LINEAR_GROWTH = 32;

/**
 * How many times as long ten times as much takes: 10 where time grows with length, 100 with its square. In processor time of this
 * thread, so that a busy machine makes no difference.
 */
export function growthOf(size: number, work: (size: number) => void): number {
  const best = (given: number): number => Math.min(...Array.from({ length: ROUNDS }, () => cost(() => work(given))));
  best(Math.min(size, 100)); // compiled before it is measured
  return best(10 * size) / Math.max(FLOOR_MS, best(size));
}

function cost(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
