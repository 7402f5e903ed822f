import type { Usage } from "@caret/protocol";

const counts = ["input", "output", "cacheRead", "cacheWrite", "reasoning", "cost"] as const;

/** A count that neither reported stays absent. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sums = counts.flatMap((count) => {
    const reported = [one[count], other[count]].filter((value) => value !== undefined);
    return reported.length === 0 ? [] : [[count, reported.reduce((sum, value) => sum + value, 0)]];
  });
  return Object.fromEntries(sums);
}
