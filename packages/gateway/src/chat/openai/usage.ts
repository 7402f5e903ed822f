import { promptTokens, type Usage } from "@caret/protocol";
import type { AnswerReader } from "../answer-reader.ts";
import { type AnswerCount, type AnswerUsage, ownUsage, usageOfAnswer } from "../answer-usage.ts";
import type { AnswerEnding } from "../serve-answer.ts";

/** For OpenAI's clients, cached tokens are part of the prompt. Omits what upstream did not report. */
export interface ChatUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number; readonly cache_write_tokens?: number };
  readonly completion_tokens_details?: { readonly reasoning_tokens: number };
  /** US dollars, under each name that clients look for. */
  readonly cost?: number;
  readonly totalCost?: number;
  readonly total_cost?: number;
  /** These numbers are our estimates: upstream counted nothing for this answer alone. */
  readonly caret_estimated?: true;
  /** Usage of the whole turn, in its last answer. */
  readonly caret_turn_usage?: Usage;
}

/**
 * Usage of the answer as read so far. Undefined if the turn is all in this answer and ended without a report: clients then count
 * themselves. An answer that ends in calls or early, or continues such a turn, always has usage.
 */
export function chatUsageOf(
  { usage, weight, calls }: Pick<AnswerReader, "usage" | "weight" | "calls">,
  count: AnswerCount,
  ending: AnswerEnding,
): ChatUsage | undefined {
  const answer = usageOfAnswer(count, usage, weight);
  const isPart = ending.kind === "finished" && (!count.startsTurn || calls > 0 || ending.cut !== undefined);
  return answer.reported !== undefined || answer.ofTurn !== undefined || isPart ? toChatUsage(answer) : undefined;
}

/** What upstream reported, or marked estimates if it reported nothing for this answer. */
export function toChatUsage(answer: AnswerUsage): ChatUsage {
  const usage = ownUsage(answer);
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
    ...(answer.reported === undefined && { caret_estimated: true as const }),
    ...(answer.ofTurn !== undefined && { caret_turn_usage: answer.ofTurn }),
  };
}

export function hasPrompt({ input, cacheRead, cacheWrite }: Usage): boolean {
  return input !== undefined || cacheRead !== undefined || cacheWrite !== undefined;
}

function optional<Key extends string>(key: Key, value: number | undefined): { readonly [name in Key]?: number } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [name in Key]?: number });
}
