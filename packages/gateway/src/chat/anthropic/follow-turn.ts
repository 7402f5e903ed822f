import { type AgentEvent, CaretError, type TurnOutcome } from "@caret/protocol";
import type { Cut, LimitedTurn } from "../stop-matcher.ts";
import type { MessageStream } from "./stream.ts";

/** Why an answer has nothing more to say. */
export type MessageEnd = TurnOutcome | "parked" | { readonly kind: "cut"; readonly cut: Cut };

/**
 * Hand every batch of a turn over, then say why there is nothing more: the turn ended, it waits for the client's tools, or
 * the answer had to stop. Never rejects: whatever breaks is an end, since a client must be told one.
 */
export async function followTurn(
  turn: LimitedTurn,
  stream: Pick<MessageStream, "outcome" | "parkedCalls">,
  signal: AbortSignal,
  take: (batch: readonly AgentEvent[]) => Promise<void> | void,
): Promise<MessageEnd> {
  try {
    for await (const batch of turn.follow(signal)) {
      const taken = take(batch);
      if (taken !== undefined) await taken;
    }
    if (turn.cut !== undefined) return { kind: "cut", cut: turn.cut };
    if (stream.outcome !== undefined) return stream.outcome;
    if (signal.aborted) return failed(signal.reason);
    return stream.parkedCalls > 0 ? "parked" : await turn.outcome;
  } catch (reason) {
    return failed(signal.aborted ? signal.reason : reason);
  }
}

function failed(reason: unknown): TurnOutcome {
  return { kind: "failed", error: CaretError.from(reason).toInfo() };
}
