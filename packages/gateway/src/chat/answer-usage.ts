import { type TurnShare, tokensOf, type Usage } from "@caret/protocol";
import type { DoorRequest } from "./door-request.ts";
import { estimatePrompt, type PromptTokens } from "./estimate-tokens.ts";

/** What is known before an answer is given, to count its usage. */
export interface AnswerCount extends Pick<TurnShare, "startsTurn"> {
  /** The client's limit for the answer; the answer's usage never exceeds it. */
  readonly maxOutput?: number | undefined;
  /** Estimated once, on first use. */
  prompt(): PromptTokens;
}

/**
 * Usage of one answer. Upstream counts whole turns; that count is the answer's own if the turn is all in this answer. A turn with client
 * calls spans several answers, and clients read each answer's usage as the size of their context: then each answer gets an estimate of its
 * share, and the turn's numbers are stated once, separately. The same applies if the turn used more than the answer was allowed: the
 * agent's work is not the answer.
 */
export interface AnswerUsage {
  readonly reported: Usage | undefined;
  /** Stands in for what was not reported. */
  estimate(): Pick<Usage, "cacheRead"> & { readonly input: number; readonly output: number };
  /** Upstream's usage of the whole turn, in its last answer. */
  readonly ofTurn: Usage | undefined;
}

export function countAnswer(
  request: DoorRequest,
  { startsTurn, relation }: Pick<TurnShare, "startsTurn" | "relation">,
): AnswerCount {
  let prompt: PromptTokens | undefined;
  // A session begun by this request has not heard any of it before.
  const isHeard = !startsTurn || relation === "continuation";
  const count = (): PromptTokens => {
    const { fresh, repeated } = estimatePrompt(request);
    return isHeard ? { fresh, repeated } : { fresh: fresh + repeated, repeated: 0 };
  };
  return {
    startsTurn,
    maxOutput: request.maxOutputTokens,
    prompt() {
      prompt ??= count();
      return prompt;
    },
  };
}

/** `outputWeight`: weight of all the answer says, including calls. */
export function usageOfAnswer(count: AnswerCount, reported: Usage | undefined, outputWeight: number): AnswerUsage {
  const { maxOutput = Number.POSITIVE_INFINITY } = count;
  const isReported = reported !== undefined && Object.values(reported).some((value) => value !== undefined);
  const isOwn = isReported && count.startsTurn && (reported.output ?? 0) <= maxOutput;
  return {
    reported: isOwn ? reported : undefined,
    estimate() {
      const { fresh, repeated } = count.prompt();
      const output = Math.min(tokensOf(outputWeight), maxOutput);
      return { input: fresh, ...(repeated > 0 && { cacheRead: repeated }), output };
    },
    ofTurn: isReported && !isOwn ? reported : undefined,
  };
}

/** The answer's numbers; all of them estimates if none was reported. The cost is stated once. */
export function ownUsage({ reported, estimate, ofTurn }: AnswerUsage): Usage {
  if (reported !== undefined) return reported;
  return { ...estimate(), ...(ofTurn?.cost !== undefined && { cost: ofTurn.cost }) };
}
