import { describe, expect, it } from "vitest";
import { formatCost, formatTokens, usageWords } from "./usage-words.ts";

describe("usage in words, the same on every screen", () => {
  it("rounds tokens to a short number with a small k", () => {
    expect([0, 999, 1_000, 12_449, 99_960, 250_400, 999_499, 999_500, 3_140_000].map(formatTokens)).toEqual([
      "0",
      "999",
      "1k",
      "12.4k",
      "100k",
      "250k",
      "999k",
      "1M",
      "3.1M",
    ]);
  });

  it("never shows a small cost as none", () => {
    expect([0, 0.000_01, 0.0042, 0.0609, 0.999_99, 1.5].map(formatCost)).toEqual([
      "$0",
      "<$0.0001",
      "$0.0042",
      "$0.0609",
      "$1.00",
      "$1.50",
    ]);
  });

  it("counts what came from the cache as part of what went in, and shows only what is known", () => {
    expect(usageWords({})).toEqual([]);
    expect(usageWords({ output: 5 })).toEqual(["5 out"]);
    expect(usageWords({ input: 14_000, cacheRead: 90_000, output: 2_000, cost: 0.0609 })).toEqual([
      "104k in (87% cached)",
      "2k out",
      "$0.0609",
    ]);
  });
});
