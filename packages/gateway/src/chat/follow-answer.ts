import { type AgentEvent, CaretError, type ErrorInfo, type TurnOutcome } from "@caret/protocol";
import type { AnswerEnding } from "./answer-stream.ts";
import type { LimitedTurn } from "./stop-matcher.ts";

interface Answer {
  readonly outcome: TurnOutcome | undefined;
  readonly calls: number;
}

/**
 * Hand every batch of a turn over, then say how the answer ends. Never rejects: whatever breaks is an ending, since a
 * client must be told one.
 */
export async function followAnswer(
  turn: LimitedTurn,
  answer: Answer,
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
    if (signal.aborted) return failed(CaretError.from(signal.reason).toInfo());
    // The turn waits, alive, for the client to run its calls.
    if (answer.calls > 0) return { kind: "finished" };
    return endingOf(await turn.outcome);
  } catch (reason) {
    return failed(CaretError.from(reason).toInfo());
  }
}

function endingOf(outcome: TurnOutcome): AnswerEnding {
  if (outcome.kind === "completed") return { kind: "finished" };
  if (outcome.kind === "failed") return failed(outcome.error);
  return failed(new CaretError("cancelled", "The turn was cancelled").toInfo());
}

function failed(error: ErrorInfo): AnswerEnding {
  return { kind: "failed", error };
}
