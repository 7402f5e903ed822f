import { type AgentEvent, CaretError, type TurnOutcome } from "@caret/protocol";
import type { DoorTurn } from "../door/turn-desk.ts";
import type { MessageStream } from "./stream.ts";

/**
 * Hand every batch of a turn over, then say why there is nothing more: the turn ended, it waits for the client's tools, or
 * the answer had to stop. Never rejects: whatever breaks is an end, since a client must be told one.
 */
export async function followTurn(
  turn: DoorTurn,
  stream: Pick<MessageStream, "outcome" | "parkedCalls">,
  signal: AbortSignal,
  take: (batch: readonly AgentEvent[]) => Promise<void> | void,
): Promise<TurnOutcome | "parked"> {
  try {
    for await (const batch of turn.follow(signal)) {
      const taken = take(batch);
      if (taken !== undefined) await taken;
    }
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
