import { isJsonObject, type JsonObject, type Usage } from "@caret/protocol";
import { numberField, objectField } from "./read-fields.ts";

/** The spellings of each count, the CLI's own first. */
const aliases = {
  input: ["inputTokens", "input_tokens", "promptTokens", "prompt_tokens", "input"],
  output: ["outputTokens", "output_tokens", "completionTokens", "completion_tokens", "output"],
  cacheRead: [
    "cacheReadTokens",
    "cache_read_tokens",
    "cacheReadInputTokens",
    "cache_read_input_tokens",
    "cachedInputTokens",
    "cached_input_tokens",
    "cacheRead",
    "cache_read",
  ],
  cacheWrite: [
    "cacheWriteTokens",
    "cache_write_tokens",
    "cacheWriteInputTokens",
    "cache_write_input_tokens",
    "cacheCreationInputTokens",
    "cache_creation_input_tokens",
    "cacheWrite",
    "cache_write",
  ],
  reasoning: ["reasoningTokens", "reasoning_tokens", "reasoning"],
} as const;
const costNames = ["cost", "totalCost", "total_cost", "totalCostUsd", "total_cost_usd"] as const;

type Counts = { -readonly [Name in keyof Usage]: Usage[Name] };

/** Reads usage in any known spelling; undefined if there is none. Invalid numbers count as absent. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const cache = objectField(value, "cache");
  const counts: Counts = {};
  for (const name of Object.keys(aliases) as (keyof typeof aliases)[]) {
    const count = numberField(value, ...aliases[name]);
    if (isCount(count)) counts[name] = count;
  }
  const read = numberField(cache, "read");
  const write = numberField(cache, "write");
  if (isCount(read)) counts.cacheRead ??= read;
  if (isCount(write)) counts.cacheWrite ??= write;
  const cost = numberField(value, ...costNames);
  if (cost !== undefined && cost >= 0) counts.cost = cost;
  return Object.keys(counts).length === 0 ? undefined : counts;
}

/** A result has its counts under `usage`, or directly in itself. A bare `cost` alone still counts. */
export function readResultUsage(result: JsonObject): Usage | undefined {
  const nested = readUsage(result["usage"]);
  const bare = readUsage(result);
  if (nested === undefined) return bare;
  return nested.cost === undefined && bare?.cost !== undefined ? { ...nested, cost: bare.cost } : nested;
}

function isCount(count: number | undefined): count is number {
  return count !== undefined && Number.isSafeInteger(count) && count >= 0;
}
