import { promptTokens, type Usage } from "@caret/protocol";

/** `950`, `12.4k`, `3.1M`. */
export function formatTokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${trimZero(count / 1_000)}k`;
  return `${trimZero(count / 1_000_000)}M`;
}

function trimZero(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1).replace(/\.0$/, "");
}

/** `12.4k in (90% cached) · 830 out · $0.04`: only what upstream reported. */
export function usageWords(usage: Usage): readonly string[] {
  const words: string[] = [];
  const prompt = promptTokens(usage);
  const hasPrompt = usage.input !== undefined || usage.cacheRead !== undefined || usage.cacheWrite !== undefined;
  const cached = prompt > 0 ? Math.round(((usage.cacheRead ?? 0) / prompt) * 100) : 0;
  if (hasPrompt) words.push(`${formatTokens(prompt)} in${cached > 0 ? ` (${cached}% cached)` : ""}`);
  if (usage.output !== undefined) words.push(`${formatTokens(usage.output)} out`);
  if (usage.cost !== undefined) words.push(formatCost(usage.cost));
  return words;
}

export function formatCost(dollars: number): string {
  if (dollars > 0 && dollars < 0.01) return "< $0.01";
  return `$${dollars.toFixed(2)}`;
}

/** What several turns consumed together. A cost is the whole cost only when each of them named one. */
export function sumUsage(usages: readonly (Usage | undefined)[]): Usage {
  const told = usages.filter((usage) => usage !== undefined);
  const sum: { -readonly [Key in keyof Usage]: Usage[Key] } = {};
  for (const key of ["input", "output", "cacheRead", "cacheWrite", "reasoning"] as const) {
    const counts = told.flatMap((usage) => usage[key] ?? []);
    if (counts.length > 0) sum[key] = counts.reduce((total, count) => total + count, 0);
  }
  const costs = told.flatMap((usage) => usage.cost ?? []);
  if (costs.length > 0 && costs.length === told.length) sum.cost = costs.reduce((total, cost) => total + cost, 0);
  return sum;
}
