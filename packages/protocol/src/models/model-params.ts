/** Least effort first; upstream spells `xhigh` as `extra-high` in some generations. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

export type Effort = (typeof efforts)[number];

/** A model's settings. For an omitted one, upstream's default applies. */
export interface ModelParams {
  readonly effort?: Effort;
  readonly thinking?: boolean;
  readonly fast?: boolean;
  /** The context window as upstream writes it (`1m`). Few CLI ids carry it: `claude-opus-5-5-high-300k`. */
  readonly context?: string;
}

/** A model id split into base and parameters. */
export interface ModelChoice {
  readonly base: string;
  readonly params: ModelParams;
}

/**
 * Splits the variant words off the end of a CLI id: `claude-opus-5-thinking-high` is `claude-opus-5`, thinking, high.
 *
 * Generations order the words differently, so any order is accepted. Parsing stops at the first word that is not a variant word: `mini`,
 * `nano`, `codex` and the like are part of product names, as is `max` right after `codex`.
 */
export function parseModelSlug(id: string): ModelChoice {
  const words = id.split("-");
  let params: ModelParams = {};
  while (words.length > 1) {
    const taken = takeVariantWord(words, params);
    if (taken === undefined) break;
    params = { ...params, ...taken.params };
    words.length -= taken.wordCount;
  }
  return { base: words.join("-"), params };
}

export function toEffort(word: string | undefined): Effort | undefined {
  if (word === "extra-high") return "xhigh";
  return efforts.find((effort) => effort === word);
}

/** Compares meanings: no effort means medium; no `fast` and no `thinking` mean off. */
export function sameParams(one: ModelParams, other: ModelParams): boolean {
  return (
    (one.effort ?? "medium") === (other.effort ?? "medium") &&
    (one.thinking ?? false) === (other.thinking ?? false) &&
    (one.fast ?? false) === (other.fast ?? false)
  );
}

/** `300k`, `1m`. The unit tells it from a version. */
const contextWord = /^\d+[km]$/;

interface TakenWord {
  readonly params: ModelParams;
  readonly wordCount: number;
}

function takeVariantWord(words: readonly string[], params: ModelParams): TakenWord | undefined {
  const last = words.at(-1);
  if (last === "fast" && params.fast === undefined) return { params: { fast: true }, wordCount: 1 };
  if (last === "thinking" && params.thinking === undefined) return { params: { thinking: true }, wordCount: 1 };
  if (last !== undefined && contextWord.test(last) && params.context === undefined)
    return { params: { context: last }, wordCount: 1 };
  if (params.effort !== undefined) return undefined;
  return takeEffort(words);
}

function takeEffort(words: readonly string[]): TakenWord | undefined {
  const last = words.at(-1);
  const before = words.at(-2);
  if (last === "high" && before === "extra" && words.length > 2) return { params: { effort: "xhigh" }, wordCount: 2 };
  if (last === "max" && before === "codex") return undefined;
  const effort = toEffort(last);
  return effort === undefined ? undefined : { params: { effort }, wordCount: 1 };
}
