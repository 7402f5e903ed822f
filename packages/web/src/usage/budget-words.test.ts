import { expect, it } from "vitest";
import { budgetChanges, budgetTexts, budgetWords } from "./budget-words.ts";

it("say what is used of a budget and what is left, and never guess", () => {
  expect([
    budgetWords({ scope: "day", unit: "usd", limit: 5, used: 1.2 }),
    budgetWords({ scope: "day", unit: "tokens", limit: 1_000, used: 1_200 }),
    budgetWords({ scope: "day", unit: "usd", limit: 5, used: "unknown" }),
    budgetWords({ scope: "turn", unit: "tokens", limit: 1_000 }),
  ]).toEqual([
    "$1.20 of $5.00 used, $3.80 left",
    "all of 1,000 tokens used (1,200 tokens)",
    "unknown how much of $5.00 is used",
    "at most 1,000 tokens",
  ]);
});

it("write only what was changed, and take out what was emptied", () => {
  const before = budgetTexts({
    lines: [
      { scope: "day", unit: "usd", limit: 5, used: 1 },
      { scope: "turn", unit: "tokens", limit: 10 },
    ],
    warnings: [],
  });
  const typed = { ...before, "budgets.day.usd": " 7.5 ", "budgets.turn.tokens": "" };
  expect(budgetChanges(before, typed)).toEqual({ "budgets.day.usd": 7.5, "budgets.turn.tokens": null });
  expect(budgetChanges(before, { ...before, "budgets.day.usd": "much" })).toBeUndefined();
});
