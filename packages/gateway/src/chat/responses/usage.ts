import { promptTokens, type Usage } from "@caret/protocol";
import { type AnswerUsage, ownUsage } from "../answer-usage.ts";
import { hasPrompt } from "../openai/usage.ts";

export interface ResponseUsage {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
  readonly cost?: number;
  readonly totalCost?: number;
  readonly total_cost?: number;
  /** At least one count is our estimate, because upstream reported none for this answer. */
  readonly caret_estimated?: true;
  /** Usage of the whole turn, in its last answer. */
  readonly caret_turn_usage?: Usage;
}

/**
 * Without usage in a response, OpenCode repeats its request forever, so there always is one. What upstream did not count is estimated from
 * the text, and marked. OpenAI's types promise the details too: 0 if unknown.
 */
export function toResponseUsage(answer: AnswerUsage): ResponseUsage {
  const { reported, ofTurn } = answer;
  const usage = ownUsage(answer);
  const { cacheRead = 0, cacheWrite = 0, output, reasoning = 0, cost } = usage;
  const input_tokens = hasPrompt(usage) ? promptTokens(usage) : promptTokens(answer.estimate());
  const output_tokens = output ?? answer.estimate().output;
  const isEstimated = reported === undefined || !hasPrompt(reported) || reported.output === undefined;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input_tokens + output_tokens,
    ...(cost !== undefined && { cost, totalCost: cost, total_cost: cost }),
    ...(isEstimated && { caret_estimated: true as const }),
    ...(ofTurn !== undefined && { caret_turn_usage: ofTurn }),
  };
}
