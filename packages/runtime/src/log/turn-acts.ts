import { type AgentEvent, afterActing, type ErrorInfo } from "@caret/protocol";

/**
 * The one fact of a turn that decides whether it may begin again: has it acted? It has when a tool was run or handed out, when
 * words were said, or when a tool of the agent's own began, so that files may have changed. Thinking is no act.
 *
 * It is noted where things are done: where a call of an offered tool arrives (`answered`), and where the turn's events are written.
 * Everybody who begins something again asks it: attempts, lanes, the streams of the API lane, idempotency keys, and the doors
 * that advise their clients. It never becomes false again.
 */
export interface TurnActs {
  readonly hasActed: boolean;
  note(): void;
  /** The same for events that are acts. */
  noteEvents(entries: readonly { readonly event: AgentEvent }[]): void;
}

export function createTurnActs(): TurnActs {
  let hasActed = false;
  return {
    get hasActed() {
      return hasActed;
    },
    note() {
      hasActed = true;
    },
    noteEvents(entries) {
      if (!hasActed) hasActed = entries.some(({ event }) => isAct(event));
    },
  };
}

/** A call counts whatever became of it: one that was refused as much as one that was run. */
export function isAct(event: AgentEvent): boolean {
  switch (event.type) {
    case "text-delta":
    case "tool-call":
    case "tool-output":
    case "tool-result":
    case "plan":
      return true;
    case "question-answer":
      return event.outcome === "answered";
    case "approval-answer":
      return event.decision === "approved";
    default:
      return false;
  }
}

/**
 * What only the log can say of a turn whose process is gone. Calls of tools that the client or the gateway runs are in the log before
 * they are made. What an agent with tools of its own has done last may be missing there: nobody can say that it did nothing.
 */
export function hasActedByLog(events: readonly AgentEvent[]): boolean {
  const [start] = events;
  if (start === undefined) return false;
  return start.type !== "turn-start" || start.owner === undefined || events.some(isAct);
}

/**
 * Notes what is written of a turn. A turn that failed says with its end whether it had acted: who reads of it later may begin it again
 * only if it had not.
 */
export function withActs<Entry extends { readonly event: AgentEvent }>(
  acts: TurnActs,
  entries: readonly Entry[],
): readonly Entry[] {
  acts.noteEvents(entries);
  const last = entries.at(-1);
  if (last?.event.type !== "turn-end" || last.event.outcome.kind !== "failed") return entries;
  const error = errorWithActs(last.event.outcome.error, acts.hasActed);
  return [...entries.slice(0, -1), { ...last, event: { type: "turn-end", outcome: { kind: "failed", error } } }];
}

/** Only of an interrupted turn is it said as well that it had not acted: of an older log's nobody knows. */
export function errorWithActs(error: ErrorInfo, hasActed: boolean): ErrorInfo {
  if (hasActed) return afterActing(error);
  return error.code === "interrupted" && error.hasActed === undefined ? { ...error, hasActed: false } : error;
}
