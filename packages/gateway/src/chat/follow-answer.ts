import { type AgentEvent, CaretError, type ErrorInfo, type TurnOutcome } from "@caret/protocol";
import type { Cut, LimitedTurn } from "./stop-matcher.ts";

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

/** Hands every batch of a turn over, then says how the answer ends. Never rejects: a failure is an ending, too. */
export async function followAnswer(
  turn: LimitedTurn,
  answer: Progress,
  signal: AbortSignal,
  take: (batch: readonly AgentEvent[]) => Promise<void> | void,
): Promise<AnswerEnding> {
  try {
    for await (const batch of turn.follow(signal)) {
      const taken = take(batch);
      if (taken !== undefined) await taken;
      if (answer.outcome !== undefined) break;
    }
    if (turn.cut !== undefined) return { kind: "finished", cut: turn.cut };
    if (answer.outcome !== undefined) return endingOf(answer.outcome);
    if (signal.aborted) return failed(signal.reason);
    // The turn waits, alive, for the client to run its calls.
    if (answer.calls > 0) return { kind: "finished" };
    return endingOf(await turn.outcome);
  } catch (reason) {
    return failed(signal.aborted ? signal.reason : reason);
  }
}

function endingOf(outcome: TurnOutcome): AnswerEnding {
  if (outcome.kind === "completed") return { kind: "finished" };
  if (outcome.kind === "failed") return { kind: "failed", error: outcome.error };
  return failed(new CaretError("cancelled", "The turn was cancelled"));
}

function failed(reason: unknown): AnswerEnding {
  return { kind: "failed", error: CaretError.from(reason).toInfo() };
}
