import type { Usage } from "@caret/protocol";
import { type AnswerUsage, ownUsage } from "../answer-usage.ts";

/**
 * Usage as Anthropic's clients read it: `input_tokens` excludes cache reads and writes. The format requires two of the numbers; if upstream
 * did not report them they are estimates, marked by `caret_estimated`.
 */
export interface AnthropicUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly output_tokens_details: { readonly thinking_tokens: number } | null;
  /** The server runs no tools. */
  readonly server_tool_use: null;
  /** US dollars, if upstream named a price. */
  readonly cost?: number;
  readonly caret_estimated?: true;
  /** Usage of the whole turn, in its last answer. */
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

/** The same for a message, which also says how it was served. */
export function toMessageUsage(answer: AnswerUsage) {
  return {
    ...toAnthropicUsage(answer),
    cache_creation: null,
    inference_geo: null,
    service_tier: "standard",
    speed: null,
  } as const;
}
