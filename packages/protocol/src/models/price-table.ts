/** US dollars per million tokens. A price without a source is absent, never guessed. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface PriceRow extends TokenPrices {
  /** The model's base id: variants of effort and thinking cost the same per token. */
  readonly base: string;
  /** Marks the price of the fast variants. A model without such a row has no known fast price. */
  readonly fast?: true;
  /** The price of every token once the prompt exceeds `above` tokens. */
  readonly longPrompt?: LongPrompt;
  readonly source: PriceSource;
}

interface LongPrompt extends TokenPrices {
  readonly above: number;
}

/** Where and when a price was read. Prices change weekly. */
export interface PriceSource {
  readonly name: string;
  readonly asOf: string;
}

const page: PriceSource = { name: "Cursor's page on models and pricing", asOf: "2026-04" };
/** Third-party mirrors of that page, used when the page itself could not be read. */
const mirrors: PriceSource = { name: "public mirrors of Cursor's page on models and pricing", asOf: "2026-11-16" };

type Figures = readonly [input: number, output: number, cacheRead?: number, cacheWrite?: number];

function row(source: PriceSource, base: string, figures: Figures, longPrompt?: LongPrompt): PriceRow {
  return { base, ...toPrices(figures), ...(longPrompt === undefined ? {} : { longPrompt }), source };
}

function fast(source: PriceSource, base: string, figures: Figures): PriceRow {
  return { ...row(source, base, figures), fast: true };
}

function above(tokens: number, figures: Figures): LongPrompt {
  return { above: tokens, ...toPrices(figures) };
}

function toPrices([input, output, cacheRead, cacheWrite]: Figures): TokenPrices {
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

const K200 = 200_000;
const K272 = 272_000;

/** Models released after their source was read have no price here. */
export const priceTable: readonly PriceRow[] = [
  row(page, "auto", [1.25, 6, 0.25, 1.25]),
  row(page, "composer-1.5", [3.5, 17.5, 0.35, 3.5]),
  row(page, "composer-2", [0.5, 2.5, 0.2, 0.5]),
  fast(page, "composer-2", [1.5, 7.5, 0.35, 1.5]),
  row(page, "claude-4-sonnet", [3, 15, 0.3, 3.75]),
  row(page, "claude-4.5-sonnet", [3, 15, 0.3, 3.75], above(K200, [6, 22.5, 0.6, 7.5])),
  row(page, "claude-4.6-sonnet", [3, 15, 0.3, 3.75], above(K200, [6, 22.5, 0.6, 7.5])),
  row(page, "claude-4.5-opus", [5, 25, 0.5, 6.25]),
  row(page, "claude-4.6-opus", [5, 25, 0.5, 6.25]),
  fast(page, "claude-4.6-opus", [30, 150, 3, 37.5]),
  row(page, "claude-opus-4-7", [5, 25, 0.5, 6.25]),
  row(page, "gemini-3-flash", [0.5, 3, 0.05, 0.5]),
  row(page, "gemini-3.1-pro", [2, 12, 0.2, 2], above(K200, [4, 18, 0.4, 4])),
  row(page, "gpt-5-mini", [0.25, 2, 0.025, 0.25]),
  row(page, "gpt-5.1", [1.25, 10, 0.125, 1.25]),
  row(page, "gpt-5.1-codex", [1.25, 10, 0.125, 1.25]),
  row(page, "gpt-5.1-codex-max", [1.25, 10, 0.125, 1.25]),
  row(page, "gpt-5.1-codex-mini", [0.25, 2, 0.025, 0.25]),
  row(page, "gpt-5.2", [1.75, 14, 0.175, 1.75]),
  row(page, "gpt-5.2-codex", [1.75, 14, 0.175, 1.75]),
  row(page, "gpt-5.3-codex", [1.75, 14, 0.175, 1.75]),
  row(page, "gpt-5.4", [2.5, 15, 0.25, 2.5], above(K272, [5, 22.5, 0.5, 5])),
  fast(page, "gpt-5.4", [5, 30, 0.5, 5]),
  row(page, "gpt-5.4-mini", [0.75, 4.5, 0.075, 0.75]),
  row(page, "gpt-5.4-nano", [0.2, 1.25, 0.02, 0.2]),
  row(page, "gpt-5.5", [5, 30, 0.5, 5], above(K272, [10, 45, 1, 10])),
  row(page, "grok-4-20", [2, 6, 0.2, 2], above(K200, [4, 12, 0.4, 4])),
  row(page, "kimi-k2.5", [0.6, 3, 0.1, 0.6]),
  row(mirrors, "composer-2.5", [0.5, 2.5, 0.2, 0.5]),
  fast(mirrors, "composer-2.5", [3, 15, 0.5, 3]),
  row(mirrors, "cursor-grok-4.5", [2, 6, 0.5, 2]),
  fast(mirrors, "cursor-grok-4.5", [4, 12, 1, 4]),
  row(mirrors, "cursor-grok-4.6", [2, 6, 0.5, 2]),
  fast(mirrors, "cursor-grok-4.6", [4, 12, 1, 4]),
  row(mirrors, "kimi-k2.7-code", [0.95, 4, 0.19]),
  row(mirrors, "kimi-k3", [3, 15, 0.3]),
  row(mirrors, "glm-5.2", [1.4, 4.4, 0.26]),
  row(mirrors, "glm-5.3", [1.4, 4.4, 0.26]),
  row(mirrors, "claude-fable-5", [10, 50, 1, 12.5]),
  row(mirrors, "claude-fable-5-1", [10, 50, 0.25, 12.5]),
  row(mirrors, "claude-opus-5", [5, 25, 0.5, 6.25]),
  row(mirrors, "claude-opus-5-5", [4, 20, 0.2, 5]),
  fast(mirrors, "claude-opus-5-5", [8, 40]),
  row(mirrors, "claude-opus-4-8", [5, 25]),
  fast(mirrors, "claude-opus-4-8", [10, 50]),
  fast(mirrors, "claude-opus-4-7", [30, 150, 3, 37.5]),
  row(mirrors, "claude-sonnet-5", [3, 15]),
  row(mirrors, "claude-sonnet-5-5", [2, 10, 0.1]),
  row(mirrors, "claude-haiku-5-5", [0.1, 0.5]),
  fast(mirrors, "gpt-5.2", [3.5, 28, 0.35, 3.5]),
  fast(mirrors, "gpt-5.3-codex", [3.5, 28, 0.35, 3.5]),
  fast(mirrors, "gpt-5.5", [12.5, 75, 1.25, 12.5]),
  row(mirrors, "gpt-5.6-sol", [5, 30, 0.5, 6.25], above(K272, [10, 45])),
  fast(mirrors, "gpt-5.6-sol", [10, 60, 1, 12.5]),
  row(mirrors, "gpt-5.6-terra", [2, 12, 0.2, 2.5], above(K272, [4, 18])),
  fast(mirrors, "gpt-5.6-terra", [4, 24, 0.4, 5]),
  row(mirrors, "gpt-5.6-luna", [0.2, 1.2, 0.02, 0.25], above(K272, [0.4, 1.8])),
  fast(mirrors, "gpt-5.6-luna", [0.4, 2.4, 0.04, 0.5]),
  row(mirrors, "gpt-6-astra", [10, 50, 1, 12.5], above(K272, [20, 75])),
  row(mirrors, "gpt-6-sol", [2, 10, 0.2, 2.5], above(K272, [4, 15])),
  row(mirrors, "gpt-6-luna", [0.1, 0.5, 0.01, 0.125], above(K272, [0.2, 0.75])),
  row(mirrors, "gemini-3.6-flash", [1.5, 7.5, 0.15]),
  row(mirrors, "gemini-3.7-flash", [0.75, 3.75, 0.075]),
  row(mirrors, "gemini-3.8-flash", [0.75, 3.75, 0.075]),
];
