import type { Usage } from "./usage.ts";

/** All input, cached or not: what OpenAI's clients call prompt tokens. Kept apart from the schema because the page has no zod. */
export function promptTokens(usage: Usage): number {
  return (usage.input ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

/** `950`, `12.4k`, `250k`, `3.1M`: the same on the page, in the terminal and in exports. */
export function formatTokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${trimZero(count / 1_000)}k`;
  return `${trimZero(count / 1_000_000)}M`;
}

function trimZero(value: number): string {
  return value >= 99.95 ? value.toFixed(0) : value.toFixed(1).replace(/\.0$/, "");
}

/** Small amounts are the usual ones, so they keep their digits; a nonzero cost never shows as zero. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return "$0";
  if (dollars < 0.000_05) return "<$0.0001";
  return `$${dollars.toFixed(dollars < 0.999_95 ? 4 : 2)}`;
}

/** `12.4k in (90% cached)`, `830 out`, `$0.0412`, omitting what is unknown. "In" is the whole prompt, cached or not. */
export function usageWords(usage: Usage): readonly string[] {
  const prompt = promptTokens(usage);
  const hasPrompt = usage.input !== undefined || usage.cacheRead !== undefined || usage.cacheWrite !== undefined;
  const cached = prompt > 0 ? Math.round(((usage.cacheRead ?? 0) / prompt) * 100) : 0;
  return [
    ...(hasPrompt ? [`${formatTokens(prompt)} in${cached > 0 ? ` (${cached}% cached)` : ""}`] : []),
    ...(usage.output === undefined ? [] : [`${formatTokens(usage.output)} out`]),
    ...(usage.cost === undefined ? [] : [formatCost(usage.cost)]),
  ];
}
