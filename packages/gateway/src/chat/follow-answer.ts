import { type AgentEvent, CaretError, type ErrorInfo, type TurnOutcome, type TurnShare } from "@caret/protocol";
import { type AnswerLimits, type Cut, createAnswerLimiter } from "./stop-matcher.ts";

/** How an answer ends. A pause for the client's tools is a good end of the answer, not of the turn; so is a cut. */
export type AnswerEnding =
  | { readonly kind: "finished"; readonly cut?: Cut | undefined }
  | { readonly kind: "failed"; readonly error: ErrorInfo };

interface Progress {
  /** The turn's own end, once it was among the events. */
  readonly outcome: TurnOutcome | undefined;
  /** How many calls the client was given to run. */
  readonly calls: number;
}

export interface FollowedAnswer {
  readonly turn: Pick<TurnShare, "follow" | "outcome" | "stop">;
  readonly limits: AnswerLimits;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/**
 * Hands every batch of a turn over, then says how the answer ends; at one of its limits it ends the turn as well. Never
 * rejects: a failure is an ending, too.
 */
export async function followAnswer(
  followed: FollowedAnswer,
  take: (batch: readonly AgentEvent[]) => Promise<void> | void,
): Promise<AnswerEnding> {
  const { turn, limits, progress, signal } = followed;
  const limiter = createAnswerLimiter(limits);
  try {
    for await (const batch of turn.follow(signal)) {
      const taken = take(limiter.read(batch));
      if (taken !== undefined) await taken;
      if (limiter.cut !== undefined || progress.outcome !== undefined) break;
    }
    if (limiter.cut === undefined) return await endingOf(followed);
    turn.stop(stopReason(limiter.cut));
    return { kind: "finished", cut: limiter.cut };
  } catch (reason) {
    return failed(signal.aborted ? signal.reason : reason);
  }
}

async function endingOf({ turn, progress, signal }: FollowedAnswer): Promise<AnswerEnding> {
  if (progress.outcome === undefined && signal.aborted) return failed(signal.reason);
  // The turn waits, alive, for the client to run its calls.
  if (progress.outcome === undefined && progress.calls > 0) return { kind: "finished" };
  const outcome = progress.outcome ?? (await turn.outcome);
  if (outcome.kind === "completed") return { kind: "finished" };
  if (outcome.kind === "failed") return { kind: "failed", error: outcome.error };
  return failed(new CaretError("cancelled", "The turn was cancelled"));
}

function stopReason({ kind }: Cut): string {
  return kind === "length" ? "The answer reached its maximum number of tokens" : "The answer reached a stop sequence";
}

function failed(reason: unknown): AnswerEnding {
  return { kind: "failed", error: CaretError.from(reason).toInfo() };
}
