import { describe, expect, it } from "vitest";
import { usageRow as row } from "../testing/usage-row.ts";
import { cacheShare, groupUsage, totalUsage, usageByDay } from "./usage-totals.ts";

describe("what rows amount to", () => {
  it("is unknown where no row has a count, and a sum where some have", () => {
    const rows = [
      row({ usage: { input: 10, output: 5, cost: 0.25 } }),
      row({ turns: 3 }),
      row({ usage: { input: 1 } }),
    ];
    expect(totalUsage(rows)).toEqual({
      turns: 5,
      uncountedTurns: 3,
      unpricedTurns: 4,
      tokens: { input: 11, output: 5 },
      cost: 0.25,
    });
    expect(totalUsage([row({ turns: 2 })])).toEqual({ turns: 2, uncountedTurns: 2, unpricedTurns: 2, tokens: {} });
  });

  it("keeps a reported zero", () => {
    expect(totalUsage([row({ usage: { cacheRead: 0, cost: 0 } })])).toEqual({
      turns: 1,
      uncountedTurns: 0,
      unpricedTurns: 0,
      tokens: { cacheRead: 0 },
      cost: 0,
    });
  });

  it("names every day of the range in UTC, also those without turns", () => {
    const now = Date.parse("2026-11-15T00:30:00Z");
    const days = usageByDay([row({ usage: { output: 7 } })], 3, now);
    expect(days.map(({ key, totals }) => [key, totals.turns, totals.tokens.output])).toEqual([
      ["2026-11-13", 0, undefined],
      ["2026-11-14", 0, undefined],
      ["2026-11-15", 1, 7],
    ]);
  });

  it("puts the largest first, and what nobody counted last", () => {
    const rows = [
      row({ model: "uncounted", turns: 9 }),
      row({ model: "small", usage: { output: 1 } }),
      row({ model: "large", usage: { cacheRead: 50 } }),
      row({ model: "small", usage: { output: 2 } }),
    ];
    const groups = groupUsage(rows, ({ model }) => model).map(({ key, totals }) => [key, totals.turns]);
    expect(groups).toEqual([
      ["large", 1],
      ["small", 2],
      ["uncounted", 9],
    ]);
  });

  it("has a cache share only where the cache was reported", () => {
    expect(cacheShare(totalUsage([row({ usage: { input: 10, cacheRead: 30 } })]))).toBe(0.75);
    expect(cacheShare(totalUsage([row({ usage: { input: 10 } })]))).toBeUndefined();
    expect(cacheShare(totalUsage([row({ usage: { cacheRead: 0 } })]))).toBeUndefined();
  });
});
