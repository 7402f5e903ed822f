import type { Usage } from "../usage.ts";
import { promptTokens } from "../usage-words.ts";
import { parseModelSlug } from "./model-params.ts";

const LONG_PROMPT_TOKENS = 200_000;

/** As of spring 2026, from Cursor's page on models and pricing; models that came later have no price here. */
export const priceTable: readonly PriceRow[] = [
  row("auto", [1.25, 6, 0.25, 1.25]),
  row("composer-1.5", [3.5, 17.5, 0.35, 3.5]),
  row("composer-2", [0.5, 2.5, 0.2, 0.5]),
  { ...row("composer-2", [1.5, 7.5, 0.35, 1.5]), fast: true },
  row("claude-4-sonnet", [3, 15, 0.3, 3.75]),
  row("claude-4.5-sonnet", [3, 15, 0.3, 3.75], [6, 22.5, 0.6, 7.5]),
  row("claude-4.6-sonnet", [3, 15, 0.3, 3.75], [6, 22.5, 0.6, 7.5]),
  row("claude-4.5-opus", [5, 25, 0.5, 6.25]),
  row("claude-4.6-opus", [5, 25, 0.5, 6.25]),
  { ...row("claude-4.6-opus", [30, 150, 3, 37.5]), fast: true },
  row("claude-opus-4-7", [5, 25, 0.5, 6.25]),
  row("gemini-3-flash", [0.5, 3, 0.05, 0.5]),
  row("gemini-3.1-pro", [2, 12, 0.2, 2], [4, 18, 0.4, 4]),
  row("gpt-5-mini", [0.25, 2, 0.025, 0.25]),
  row("gpt-5.1", [1.25, 10, 0.125, 1.25]),
  row("gpt-5.1-codex", [1.25, 10, 0.125, 1.25]),
  row("gpt-5.1-codex-max", [1.25, 10, 0.125, 1.25]),
  row("gpt-5.1-codex-mini", [0.25, 2, 0.025, 0.25]),
  row("gpt-5.2", [1.75, 14, 0.175, 1.75]),
  row("gpt-5.2-codex", [1.75, 14, 0.175, 1.75]),
  row("gpt-5.3-codex", [1.75, 14, 0.175, 1.75]),
  row("gpt-5.4", [2.5, 15, 0.25, 2.5], [5, 22.5, 0.5, 5]),
  { ...row("gpt-5.4", [5, 30, 0.5, 5]), fast: true },
  row("gpt-5.4-mini", [0.75, 4.5, 0.075, 0.75]),
  row("gpt-5.4-nano", [0.2, 1.25, 0.02, 0.2]),
  row("gpt-5.5", [5, 30, 0.5, 5], [10, 45, 1, 10]),
  row("grok-4-20", [2, 6, 0.2, 2], [4, 12, 0.4, 4]),
  row("kimi-k2.5", [0.6, 3, 0.1, 0.6]),
];

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

/** US dollars per million tokens. */
interface TokenPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

interface PriceRow extends TokenPrices {
  /** The model's base id: variants of effort and thinking cost the same, per token. */
  readonly base: string;
  /** The price of the fast variants. A model without such a row has no known fast price: it is never guessed. */
  readonly fast?: true;
  /** What every token costs once the prompt is longer than `LONG_PROMPT_TOKENS`. */
  readonly longPrompt?: TokenPrices;
}

type Figures = readonly [input: number, output: number, cacheRead: number, cacheWrite: number];

function row(base: string, figures: Figures, longPrompt?: Figures): PriceRow {
  const prices = { base, ...toPrices(figures) };
  return longPrompt === undefined ? prices : { ...prices, longPrompt: toPrices(longPrompt) };
}

function toPrices([input, output, cacheRead, cacheWrite]: Figures): TokenPrices {
  return { input, output, cacheRead, cacheWrite };
}
