import type { UsageRow } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { cacheShare, groupUsage, totalUsage, usageByDay } from "./usage-totals.ts";
import { axisTicks, costCell, costNote, costWord, dayWord, tokenCell, tokenWord, turnsWord } from "./usage-words.ts";

const row = (given: Partial<UsageRow>): UsageRow => ({
  day: "2026-11-15",
  model: "auto",
  sessionId: "s1",
  turns: 1,
  unpricedTurns: given.usage?.cost === undefined ? (given.turns ?? 1) : 0,
  usage: {},
  ...given,
});

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

describe("the words for it", () => {
  it("say unknown instead of nothing", () => {
    const unpriced = totalUsage([row({ turns: 2 })]);
    expect([costWord(unpriced), costNote(unpriced), tokenWord(undefined)]).toEqual([
      "unknown",
      "no known price",
      "unknown",
    ]);
  });

  it("say that a sum is not all of it", () => {
    const partly = totalUsage([row({ usage: { cost: 1.5 } }), row({})]);
    expect([costWord(partly), costNote(partly)]).toEqual(["at least $1.50", "no price for 1 turn"]);
  });

  it("fit a table's cell", () => {
    const partly = totalUsage([row({ usage: { cost: 1.5 } }), row({})]);
    expect([costCell(partly), costCell(totalUsage([row({})])), tokenCell(undefined), tokenCell(0)]).toEqual([
      "≥$1.50",
      "–",
      "–",
      "0",
    ]);
  });

  it("are short, and small sums keep their digits", () => {
    const small = totalUsage([row({ usage: { cost: 0.0042 } })]);
    expect([costWord(small), tokenWord(1_234_567), turnsWord(1), turnsWord(1200), dayWord("2026-11-05")]).toEqual([
      "$0.0042",
      "1.2M",
      "1 turn",
      "1,200 turns",
      "Nov 5",
    ]);
  });
});

describe("the axis", () => {
  it.each([
    [0, [0, 1]],
    [7, [0, 2, 4, 6, 8]],
    [100, [0, 25, 50, 75, 100]],
    [1_300_000, [0, 500_000, 1_000_000, 1_500_000]],
  ])("reaches over %d in round steps", (max, ticks) => {
    expect(axisTicks(max)).toEqual(ticks);
  });
});
