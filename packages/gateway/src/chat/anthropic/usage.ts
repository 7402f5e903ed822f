import type { Usage } from "@caret/protocol";
import { type AnswerUsage, ownUsage } from "../answer-usage.ts";

/**
 * Usage as Anthropic's clients read it: `input_tokens` is what was neither read from nor written to the cache. The format
 * demands two of the numbers; where upstream gave none they are estimates, and `caret_estimated` says so.
 */
export interface AnthropicUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly output_tokens_details: { readonly thinking_tokens: number } | null;
  /** Nothing is run by the server. */
  readonly server_tool_use: null;
  /** US dollars, when upstream named a price. */
  readonly cost?: number;
  readonly caret_estimated?: true;
  /** What the whole turn used, of which this is the last answer. */
  readonly caret_turn_usage?: Usage;
}

export function toAnthropicUsage(answer: AnswerUsage): AnthropicUsage {
  const { reported, ofTurn } = answer;
  const { input, output, cacheRead = 0, cacheWrite = 0, reasoning, cost } = ownUsage(answer);
  const isEstimated = reported?.input === undefined || reported.output === undefined;
  return {
    input_tokens: input ?? answer.estimate().input,
    output_tokens: output ?? answer.estimate().output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens_details: reasoning === undefined ? null : { thinking_tokens: reasoning },
    server_tool_use: null,
    ...(cost === undefined ? {} : { cost }),
    ...(isEstimated ? { caret_estimated: true } : {}),
    ...(ofTurn === undefined ? {} : { caret_turn_usage: ofTurn }),
  };
}

/** The same for a message, which says also how it was served. */
export function toMessageUsage(answer: AnswerUsage) {
  return {
    ...toAnthropicUsage(answer),
    cache_creation: null,
    inference_geo: null,
    service_tier: "standard",
    speed: null,
  } as const;
}
