import { describe, expect, it } from "vitest";
import { formatCost, formatTokens, sumUsage, usageWords } from "./usage-words.ts";

describe("formatTokens", () => {
  it("is short and rounds", () => {
    expect([0, 999, 1_000, 12_449, 250_400, 999_499, 999_500, 3_140_000].map(formatTokens)).toEqual([
      "0",
      "999",
      "1k",
      "12.4k",
      "250k",
      "999k",
      "1M",
      "3.1M",
    ]);
  });
});

describe("usageWords", () => {
  it("tells only what was reported", () => {
    expect(usageWords({})).toEqual([]);
    expect(usageWords({ output: 5 })).toEqual(["5 out"]);
    expect(usageWords({ input: 100, cacheRead: 900, output: 2_000, cost: 0.034 })).toEqual([
      "1k in (90% cached)",
      "2k out",
      "$0.03",
    ]);
  });

  it("never shows a small cost as none", () => {
    expect([0, 0.001, 1.5].map(formatCost)).toEqual(["$0.00", "< $0.01", "$1.50"]);
  });
});

describe("sumUsage", () => {
  it("adds up counts, and costs only when none is missing", () => {
    expect(sumUsage([{ input: 1, cost: 1 }, undefined, { input: 2, output: 3, cost: 2 }])).toEqual({
      input: 3,
      output: 3,
      cost: 3,
    });
    expect(sumUsage([{ cost: 1 }, { input: 2 }])).toEqual({ input: 2 });
    expect(sumUsage([])).toEqual({});
  });
});
