import { costCell, tokenCell, totalUsage } from "@caret/protocol";
import { usageRow as row } from "@caret/protocol/testing/usage-row.ts";
import { describe, expect, it } from "vitest";
import { axisTicks, costNote, costWord, dayWord, tokenWord, turnsWord } from "./usage-words.ts";

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
