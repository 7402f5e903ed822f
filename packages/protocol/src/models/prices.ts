import { promptTokens } from "../prompt-tokens.ts";
import type { Usage } from "../usage.ts";
import { parseModelSlug } from "./model-params.ts";
import { LONG_PROMPT_TOKENS, type PriceRow, priceTable } from "./price-table.ts";

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
 * the price or a token count is not known.
 *
 * A turn's counts are sums over its calls, so a turn of many shorter prompts can be priced as one long prompt: the
 * answer is then too high, never too low, which is the safe side for a budget.
 */
export function costOf(usage: Usage, modelId: string): number | undefined {
  if (usage.cost !== undefined) return usage.cost;
  const row = priceOf(modelId);
  if (row === undefined || usage.input === undefined || usage.output === undefined) return undefined;
  const prices = promptTokens(usage) > LONG_PROMPT_TOKENS ? (row.longPrompt ?? row) : row;
  // An upstream that reports no cache counts had no cache to charge for.
  const total =
    usage.input * prices.input +
    usage.output * prices.output +
    (usage.cacheRead ?? 0) * prices.cacheRead +
    (usage.cacheWrite ?? 0) * prices.cacheWrite;
  return total / TOKENS_PER_PRICE;
}
