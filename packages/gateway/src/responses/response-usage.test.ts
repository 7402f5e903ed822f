import { expect, it } from "vitest";
import { toResponseUsage } from "./response-usage.ts";

const estimate = { input: () => 7, output: () => 3 };

it.each([
  [undefined, { input_tokens: 7, output_tokens: 3, total_tokens: 10, caret_estimated: true }],
  [{ output: 5 }, { input_tokens: 7, output_tokens: 5, total_tokens: 12, caret_estimated: true }],
  [
    { input: 0, output: 0 },
    { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  ],
  [
    { input: 1, output: 2, cacheWrite: 4, cost: 0.5 },
    {
      input_tokens: 5,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 4 },
      output_tokens: 2,
      total_tokens: 7,
      cost: 0.5,
      totalCost: 0.5,
      total_cost: 0.5,
    },
  ],
])("completes %j with marked estimates only", (usage, expected) => {
  expect(toResponseUsage(usage, estimate)).toEqual(expected);
});
