import type { Usage } from "@caret/protocol";
import { tokensOf } from "../door/estimate-tokens.ts";

/** What was counted here, for the numbers that upstream did not report and that the format demands. */
export interface Counted {
  readonly inputTokens: number;
  readonly outputCharacters: number;
}

/**
 * Usage as Anthropic's clients read it: `input_tokens` is what was neither read from nor written to the cache. The format
 * demands two of the numbers; where upstream gave none they are estimates, and `caret_estimated` says so.
 */
export interface AnthropicUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly output_tokens_details?: { readonly thinking_tokens: number };
  /** US dollars, when upstream named a price. */
  readonly cost?: number;
  readonly caret_estimated?: true;
}

export function toAnthropicUsage(usage: Usage | undefined, counted: Counted): AnthropicUsage {
  const { input, output, cacheRead, cacheWrite, reasoning, cost } = usage ?? {};
  return {
    input_tokens: input ?? counted.inputTokens,
    output_tokens: output ?? tokensOf(counted.outputCharacters),
    ...(cacheRead === undefined ? {} : { cache_read_input_tokens: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cache_creation_input_tokens: cacheWrite }),
    ...(reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
    ...(cost === undefined ? {} : { cost }),
    ...(input === undefined || output === undefined ? { caret_estimated: true } : {}),
  };
}
