import { expect, it } from "vitest";
import { spendWords } from "./spend-words.ts";

it("says the pool, the speed, Max mode and the price, and that a price is unknown", () => {
  expect([
    spendWords("gpt-5.5-high-fast"),
    spendWords("gpt-5.5"),
    spendWords("composer-2.5", { maxMode: true }),
    spendWords("new-model"),
  ]).toEqual([
    ["pool: Other Models", "fast", "$12.5 in, $75 out per million tokens"],
    ["pool: Other Models", "$5 in, $30 out per million tokens", "$10 in, $45 out above 272k"],
    ["pool: Cursor Models", "Max mode", "$0.5 in, $2.5 out per million tokens"],
    ["pool: Other Models", "price unknown"],
  ]);
});
