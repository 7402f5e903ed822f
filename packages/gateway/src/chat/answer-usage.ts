import type { TurnShare, Usage } from "@caret/protocol";
import type { DoorRequest } from "./door-request.ts";
import { estimatePrompt, type PromptTokens } from "./estimate-tokens.ts";
import { tokensOf } from "./text-weight.ts";

/** What is known of an answer before it is given, to count what it used. */
export interface AnswerCount extends Pick<TurnShare, "startsTurn"> {
  /** Estimated once, when it is first asked for. */
  prompt(): PromptTokens;
}

/**
 * What one answer used. Upstream counts whole turns: that is the answer's own usage where the turn is all in this one
 * answer. A turn with calls of the client's takes several, and clients read each answer's usage as the size of their
 * context: each gets its own share then, which is an estimate, and the turn's numbers stand apart, once.
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
    prompt() {
      prompt ??= count();
      return prompt;
    },
  };
}

/** `outputWeight`: of all that the answer says, calls included. */
export function usageOfAnswer(count: AnswerCount, reported: Usage | undefined, outputWeight: number): AnswerUsage {
  const isReported = reported !== undefined && Object.values(reported).some((value) => value !== undefined);
  return {
    reported: isReported && count.startsTurn ? reported : undefined,
    estimate() {
      const { fresh, repeated } = count.prompt();
      return { input: fresh, ...(repeated > 0 && { cacheRead: repeated }), output: tokensOf(outputWeight) };
    },
    ofTurn: isReported && !count.startsTurn ? reported : undefined,
  };
}

/** The answer's numbers, with estimates in place of all of them when none was reported. The cost is stated once. */
export function ownUsage({ reported, estimate, ofTurn }: AnswerUsage): Usage {
  if (reported !== undefined) return reported;
  return { ...estimate(), ...(ofTurn?.cost !== undefined && { cost: ofTurn.cost }) };
}
