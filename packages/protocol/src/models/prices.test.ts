import { afterEach, describe, expect, it } from "vitest";
import { priceTable } from "./price-table.ts";
import { applyPriceUpdates, costOf, poolOf, priceOf } from "./prices.ts";

const million = 1_000_000;

describe("priceOf", () => {
  it.each([
    ["gpt-5.4-mini-high", 0.75],
    ["gpt-5.4-nano-none", 0.2],
    ["gpt-5.4-xhigh", 2.5],
    ["gpt-5.4-xhigh-fast", 5],
    ["gpt-5.1-codex-max-high", 1.25],
    ["gpt-5.1-codex-mini", 0.25],
    ["claude-4.6-opus-max-thinking", 5],
    ["claude-4.6-opus-high-fast", 30],
    ["composer-2-fast", 1.5],
    ["composer-2.5-fast", 3],
    ["claude-opus-5-5-high-300k-fast", 8],
    ["claude-fable-5-1-thinking-max", 10],
    ["gpt-5.5-extra-high-fast", 12.5],
    ["gpt-6-luna-low", 0.1],
    ["Auto", 1.25],
  ])("charges %s at $%d a million input tokens", (id, input) => {
    expect(priceOf(id)?.input).toBe(input);
  });

  it.each(["composer-3", "gpt-6.1-sol", "gpt-5.4-giant", "gpt-5.10", "muse-spark-1.3-max", "auto-smart", "nothing"])(
    "does not guess at the price of %s",
    (id) => {
      expect(priceOf(id)).toBeUndefined();
    },
  );

  it("does not pass the plain price off as the fast one", () => {
    expect(["gpt-5.1-high-fast", "claude-opus-5-high-fast"].map(priceOf)).toEqual([undefined, undefined]);
  });

  it("has one row per model and speed", () => {
    const keys = priceTable.map(({ base, fast }) => `${base} ${fast ?? false}`);
    expect(keys).toEqual([...new Set(keys)]);
  });
});

describe("applyPriceUpdates", () => {
  const source = { name: "an invoice", asOf: "2026-11-17" };
  afterEach(() => applyPriceUpdates([]));

  it("lets a row of the user's win over the table, the longest prefix first, and leaves the rest unknown", () => {
    applyPriceUpdates([
      { base: "gpt-6*", input: 7, output: 8, source },
      { base: "gpt-6.1*", input: 5, output: 6, source },
      { base: "gpt-6.1*", fast: true, input: 50, output: 60, source },
      { base: "auto", input: 9, output: 9, source },
    ]);
    const ids = ["gpt-6.1-sol-high", "gpt-6.1-sol-fast", "gpt-6.2", "gpt-6-sol", "auto", "gpt-6.2-fast", "grok-9"];
    expect(ids.map((id) => priceOf(id)?.input)).toEqual([5, 50, 7, 2, 9, undefined, undefined]);
  });
});

describe("costOf", () => {
  it("adds up the four kinds of tokens", () => {
    const usage = { input: 10_000, output: 2_000, cacheRead: 100_000, cacheWrite: 4_000 };
    const dollars = (10_000 * 3 + 2_000 * 15 + 100_000 * 0.3 + 4_000 * 3.75) / million;
    expect(costOf(usage, "claude-4.5-sonnet-thinking")).toBeCloseTo(dollars, 10);
  });

  it("charges everything at the long rate once the prompt, cache included, is over the model's limit", () => {
    const at = { input: 50_000, output: 1_000, cacheRead: 222_000 };
    const over = { ...at, input: 50_001 };
    expect([costOf(at, "gpt-5.5-high"), costOf(over, "gpt-5.5-high")]).toEqual([
      (50_000 * 5 + 1_000 * 30 + 222_000 * 0.5) / million,
      (50_001 * 10 + 1_000 * 45 + 222_000 * 1) / million,
    ]);
  });

  it("keeps the plain rate for a long prompt where no other is known", () => {
    expect(costOf({ input: million, output: 0 }, "gpt-5.2-high")).toBe(1.75);
  });

  it("says nothing of cached tokens whose price no source names", () => {
    const [read, written] = [{ cacheRead: 1 }, { cacheWrite: 1 }].map((cache) => ({ input: 1, output: 1, ...cache }));
    expect({
      read: costOf(read ?? {}, "claude-opus-4-8-high"),
      written: costOf(written ?? {}, "kimi-k3-low"),
      neither: costOf({ input: million, output: 0, cacheRead: 0 }, "claude-opus-4-8-high"),
    }).toEqual({ read: undefined, written: undefined, neither: 5 });
  });

  it("believes upstream's own figure first", () => {
    expect(costOf({ input: 1, output: 1, cost: 0.42 }, "no-such-model")).toBe(0.42);
  });

  it("says nothing when the model or a count is unknown", () => {
    expect([
      costOf({ input: 1, output: 1 }, "no-such-model"),
      costOf({ output: 1 }, "auto"),
      costOf({ input: 1 }, "auto"),
      costOf({}, "auto"),
    ]).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe("poolOf", () => {
  it.each([
    ["auto", "Cursor Models"],
    ["auto-smart", "Cursor Models"],
    ["composer-2.5-fast", "Cursor Models"],
    ["cursor-grok-4.6-high", "Cursor Models"],
    ["grok-4.7-high", "Other Models"],
    ["automatic-1", "Other Models"],
    ["claude-opus-5-high", "Other Models"],
  ])("draws a turn of %s from the pool %s", (id, pool) => {
    expect(poolOf(id)).toBe(pool);
  });
});
