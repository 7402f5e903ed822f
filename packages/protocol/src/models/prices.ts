import type { Usage } from "../usage/usage.ts";
import { promptTokens } from "../usage/usage-words.ts";
import { parseModelSlug } from "./model-params.ts";
import { type PriceRow, priceTable, type TokenPrices } from "./price-table.ts";

const TOKENS_PER_PRICE = 1_000_000;

/** A base that ends like this stands for every model that begins as it does. Only updates have such rows. */
const ANY = "*";

let updates: readonly PriceRow[] = [];

/**
 * Rows of the user's own, which come before those of the table. One list for the whole process, as the table is: what a model
 * costs does not depend on who asks. Replaces the rows of the last call.
 */
export function applyPriceUpdates(rows: readonly PriceRow[]): void {
  updates = rows.toSorted((one, other) => other.base.length - one.base.length);
}

/** The rows in use, for a page that prices turns by itself. */
export function priceUpdates(): readonly PriceRow[] {
  return updates;
}

/**
 * The row whose base is the id without its variant words: the longest prefix that is a model of its own, so that
 * `gpt-5.4-mini-high` has the price of `gpt-5.4-mini` and a product we have never heard of has none. Of updates for several
 * models at once the longest that fits counts.
 */
export function priceOf(modelId: string): PriceRow | undefined {
  const { base, params } = parseModelSlug(modelId.toLowerCase());
  const isSpeed = (row: PriceRow): boolean => (row.fast ?? false) === (params.fast ?? false);
  const named = [...updates, ...priceTable].find((row) => row.base === base && isSpeed(row));
  return (
    named ?? updates.find((row) => isSpeed(row) && row.base.endsWith(ANY) && base.startsWith(row.base.slice(0, -1)))
  );
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
