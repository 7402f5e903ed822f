/** What is measured against what: a name and something that does the work once. */
export type Contestants<Name extends string> = Readonly<Record<Name, () => void>>;

/**
 * The median time of each, in milliseconds. The contestants take turns in every round, so that a machine that is busy for
 * a while slows all of them alike; two rounds before the first warm the code up and are not counted.
 */
export function interleaveRounds<Name extends string>(
  contestants: Contestants<Name>,
  rounds: number,
): Readonly<Record<Name, number>> {
  const names = Object.keys(contestants) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = -2; round < rounds; round += 1)
    for (const name of names) {
      const took = timeOf(contestants[name]);
      if (round >= 0) times.get(name)?.push(took);
    }
  return Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])])) as Record<Name, number>;
}

export function timeOf(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
