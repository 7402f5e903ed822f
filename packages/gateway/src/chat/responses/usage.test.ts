import { expect, it } from "vitest";
import { usageOfAnswer } from "../answer-usage.ts";
import { toResponseUsage } from "./usage.ts";

const noDetails = {
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
};
const count = { startsTurn: true, prompt: () => ({ fresh: 7, repeated: 0 }) };

it.each([
  [undefined, { input_tokens: 7, output_tokens: 3, total_tokens: 10, ...noDetails, caret_estimated: true }],
  [{ output: 5 }, { input_tokens: 7, output_tokens: 5, total_tokens: 12, ...noDetails, caret_estimated: true }],
  [
    { input: 0, output: 0 },
    { input_tokens: 0, output_tokens: 0, total_tokens: 0, ...noDetails },
  ],
  [
    { input: 1, output: 2, cacheWrite: 4, cost: 0.5 },
    {
      input_tokens: 5,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 4 },
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 7,
      cost: 0.5,
      totalCost: 0.5,
      total_cost: 0.5,
    },
  ],
])("completes %j with marked estimates only", (usage, expected) => {
  expect(toResponseUsage(usageOfAnswer(count, usage, 9))).toEqual(expected);
});

it("sends an answer in the middle of its turn by its own share, and the turn's usage apart", () => {
  const later = { startsTurn: false, prompt: () => ({ fresh: 7, repeated: 20 }) };
  const turn = { input: 100, output: 50, cacheRead: 900, cost: 0.5 };
  expect(toResponseUsage(usageOfAnswer(later, turn, 9))).toEqual({
    input_tokens: 27,
    input_tokens_details: { cached_tokens: 20, cache_write_tokens: 0 },
    output_tokens: 3,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 30,
    cost: 0.5,
    totalCost: 0.5,
    total_cost: 0.5,
    caret_estimated: true,
    caret_turn_usage: turn,
  });
});
