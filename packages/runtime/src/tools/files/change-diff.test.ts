import { structuredPatch } from "diff";
import { describe, expect, it } from "vitest";
import { changeDiff } from "./change-diff.ts";

const lines = (sign: string): string => Array.from({ length: 16_000 }, (_, index) => `${sign}${index}\n`).join("");

async function milliseconds(act: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 6; run += 1) {
    const start = performance.now();
    await act();
    times.push(performance.now() - start);
  }
  return Math.min(...times);
}

describe("the change of a file of 100 kB that has no line in common with the old one", () => {
  it("holds the gateway's thread no longer than some comparisons that are given up after 400 lines", async () => {
    const [before, after] = [lines("a"), lines("b")];
    const short = await milliseconds(() => structuredPatch("", "", before, after, "", "", { maxEditLength: 400 }));
    const long = await milliseconds(() => changeDiff("a.txt", before, after));
    // The time grows with the square of the limit: at 1,000 it is some six times that, at 1,500 fourteen times.
    expect(long).toBeLessThan(10 * short);
  });

  it("shows all of the old text, then all of the new one", async () => {
    const { added, removed } = await changeDiff("a.txt", lines("a"), lines("b"));
    expect([added, removed]).toEqual([16_000, 16_000]);
  });
});
