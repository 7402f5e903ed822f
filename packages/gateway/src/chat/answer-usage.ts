import { type TurnShare, tokensOf, type Usage } from "@caret/protocol";
import type { DoorRequest } from "./door-request.ts";
import { estimatePrompt, type PromptTokens } from "./estimate-tokens.ts";

/** What is known of an answer before it is given, to count what it used. */
export interface AnswerCount extends Pick<TurnShare, "startsTurn"> {
  /** What the client allows the answer; its usage is never more. */
  readonly maxOutput?: number | undefined;
  /** Estimated once, when it is first asked for. */
  prompt(): PromptTokens;
}

/**
 * What one answer used. Upstream counts whole turns: that is the answer's own usage where the turn is all in this one
 * answer. A turn with calls of the client's takes several, and clients read each answer's usage as the size of their
 * context: each gets its own share then, which is an estimate, and the turn's numbers stand apart, once. So they do where the turn
 * used more than the answer was allowed: its agent has worked, and the answer is not the work.
 */
export interface AnswerUsage {
  readonly reported: Usage | undefined;
  /** For what was not reported. */
  estimate(): Pick<Usage, "cacheRead"> & { readonly input: number; readonly output: number };
  /** What upstream reported for the whole turn, in its last answer. */
  readonly ofTurn: Usage | undefined;
}

export function countAnswer(
  request: DoorRequest,
  { startsTurn, relation }: Pick<TurnShare, "startsTurn" | "relation">,
): AnswerCount {
  let prompt: PromptTokens | undefined;
  // A session that is begun by this request has heard nothing of it before.
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

/** `outputWeight`: of all that the answer says, calls included. */
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

/** The answer's numbers, with estimates in place of all of them when none was reported. The cost is stated once. */
export function ownUsage({ reported, estimate, ofTurn }: AnswerUsage): Usage {
  if (reported !== undefined) return reported;
  return { ...estimate(), ...(ofTurn?.cost !== undefined && { cost: ofTurn.cost }) };
}
