import type { Usage } from "../usage/usage.ts";
import { promptTokens } from "../usage/usage-words.ts";
import { parseModelSlug } from "./model-params.ts";
import { type PriceRow, priceTable, type TokenPrices } from "./price-table.ts";

const TOKENS_PER_PRICE = 1_000_000;

/** A base with this suffix matches every model that starts with the rest. Only updates have such rows. */
const ANY = "*";

let updates: readonly PriceRow[] = [];

/**
 * Sets the user's own price rows, which override the table. One list for the whole process, like the table: a model's price does not depend
 * on who asks. Replaces earlier rows.
 */
export function applyPriceUpdates(rows: readonly PriceRow[]): void {
  updates = rows.toSorted((one, other) => other.base.length - one.base.length);
}

/** The rows in use, for a page that prices turns itself. */
export function priceUpdates(): readonly PriceRow[] {
  return updates;
}

/**
 * Finds the row whose base is the id without its variant words, so `gpt-5.4-mini-high` costs what `gpt-5.4-mini` does and an unknown
 * product has no price. Among wildcard updates the longest match wins.
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
 * US dollars for a turn's usage: upstream's own figure if it gave one, else from the table. Undefined if any price or token count is
 * unknown.
 *
 * A turn's counts are sums over its calls, so a turn of many shorter prompts can be priced as one long prompt: the result may be too high
 * but never too low, the safe side for a budget.
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
