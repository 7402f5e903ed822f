import type { AgentEvent, CaretError } from "@caret/protocol";

/** Stops a turn for a reason of our own: a budget that is used up, an agent that goes in circles. */
export interface TurnStopper {
  /** For the lane. Its reason is the error. */
  readonly signal: AbortSignal;
  /** Only the first reason counts. */
  stop(error: CaretError): void;
  /** A turn that was stopped has failed of the reason, not been cancelled by anyone. */
  explain(events: readonly AgentEvent[]): readonly AgentEvent[];
}

export function createTurnStopper(): TurnStopper {
  const controller = new AbortController();
  let stoppedBy: CaretError | undefined;
  return {
    signal: controller.signal,
    stop(error) {
      stoppedBy ??= error;
      controller.abort(stoppedBy);
    },
    explain(events) {
      const last = events.at(-1);
      if (stoppedBy === undefined || last?.type !== "turn-end" || last.outcome.kind !== "cancelled") return events;
      return events.with(-1, { type: "turn-end", outcome: { kind: "failed", error: stoppedBy.toInfo() } });
    },
  };
}
