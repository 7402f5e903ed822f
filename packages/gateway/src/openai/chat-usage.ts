import { promptTokens, type Usage } from "@caret/protocol";

/** Cached tokens are part of the prompt for OpenAI's clients. What upstream did not report is left out. */
export interface ChatUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number; readonly cache_write_tokens?: number };
  readonly completion_tokens_details?: { readonly reasoning_tokens: number };
  /** US dollars, under each of the names that clients look for. */
  readonly cost?: number;
  readonly totalCost?: number;
  readonly total_cost?: number;
}

/** Nothing at all when upstream counted nothing: clients then fall back to counting themselves. */
export function toChatUsage(usage: Usage | undefined): ChatUsage | undefined {
  if (usage === undefined || Object.values(usage).every((value) => value === undefined)) return undefined;
  const { output, cacheRead, cacheWrite, reasoning, cost } = usage;
  const prompt = hasPrompt(usage) ? promptTokens(usage) : undefined;
  const cached = { ...optional("cached_tokens", cacheRead), ...optional("cache_write_tokens", cacheWrite) };
  return {
    ...optional("prompt_tokens", prompt),
    ...optional("completion_tokens", output),
    ...optional("total_tokens", prompt === undefined || output === undefined ? undefined : prompt + output),
    ...(Object.keys(cached).length === 0 ? {} : { prompt_tokens_details: cached }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
    ...(cost === undefined ? {} : { cost, totalCost: cost, total_cost: cost }),
  };
}

export function hasPrompt({ input, cacheRead, cacheWrite }: Usage): boolean {
  return input !== undefined || cacheRead !== undefined || cacheWrite !== undefined;
}

function optional<Key extends string>(key: Key, value: number | undefined): { readonly [name in Key]?: number } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [name in Key]?: number });
}
