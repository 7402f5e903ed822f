import { expect, it } from "vitest";
import { usageOfAnswer } from "../answer-usage.ts";
import { toChatUsage } from "./usage.ts";

const count = { startsTurn: true, prompt: () => ({ fresh: 7, repeated: 0 }) };

it.each([
  [{ output: 4 }, { completion_tokens: 4 }],
  [{ input: 3 }, { prompt_tokens: 3 }],
  [
    { input: 3, output: 4 },
    { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  ],
  [
    { input: 0, output: 0, cacheRead: 0 },
    { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } },
  ],
  [
    { cacheWrite: 8, output: 1 },
    { prompt_tokens: 8, completion_tokens: 1, total_tokens: 9, prompt_tokens_details: { cache_write_tokens: 8 } },
  ],
])("reports of %j only what upstream reported", (usage, expected) => {
  expect(toChatUsage(usageOfAnswer(count, usage, 99))).toEqual(expected);
});
