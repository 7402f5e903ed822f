import type { Usage } from "./usage.ts";

/** Everything that went in, cached or not: what OpenAI's clients call prompt tokens. */
export function promptTokens(usage: Usage): number {
  return (usage.input ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}
