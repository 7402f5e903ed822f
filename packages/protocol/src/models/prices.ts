import type { Usage } from "../usage.ts";
import { promptTokens } from "../usage-words.ts";
import { parseModelSlug } from "./model-params.ts";
import { type PriceRow, priceTable, type TokenPrices } from "./price-table.ts";

const TOKENS_PER_PRICE = 1_000_000;

/**
 * The row whose base is the id without its variant words: the longest prefix that is a model of its own, so that
 * `gpt-5.4-mini-high` has the price of `gpt-5.4-mini` and a product we have never heard of has none.
 */
export function priceOf(modelId: string): PriceRow | undefined {
  const { base, params } = parseModelSlug(modelId.toLowerCase());
  return priceTable.find((row) => row.base === base && (row.fast ?? false) === (params.fast ?? false));
}

/**
 * US dollars for what a turn consumed: upstream's own figure when it named one, else from the table. Undefined when
 * the price of any of it, or a token count, is not known.
 *
 * A turn's counts are sums over its calls, so a turn of many shorter prompts can be priced as one long prompt: the
 * answer is then too high, never too low, which is the safe side for a budget.
 */
export function costOf(usage: Usage, modelId: string): number | undefined {
  if (usage.cost !== undefined) return usage.cost;
  const row = priceOf(modelId);
  if (row === undefined || usage.input === undefined || usage.output === undefined) return undefined;
  const { longPrompt } = row;
  const prices = longPrompt !== undefined && promptTokens(usage) > longPrompt.above ? longPrompt : row;
  return sumOf(usage, prices);
}

/** An upstream that reports no cache counts had no cache to charge for. */
function sumOf({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0 }: Usage, prices: TokenPrices) {
  if (cacheRead > 0 && prices.cacheRead === undefined) return undefined;
  if (cacheWrite > 0 && prices.cacheWrite === undefined) return undefined;
  const total =
    input * prices.input +
    output * prices.output +
    cacheRead * (prices.cacheRead ?? 0) +
    cacheWrite * (prices.cacheWrite ?? 0);
  return total / TOKENS_PER_PRICE;
}

export type ModelPool = "Cursor Models" | "Other Models";

/** Which of a subscription's two pools a turn with this model draws from. */
export function poolOf(modelId: string): ModelPool {
  return /^(?:composer|cursor-|auto(?:-|$))/.test(modelId.toLowerCase()) ? "Cursor Models" : "Other Models";
}
