import { type AgentEvent, afterActing, type ErrorInfo } from "@caret/protocol";

/**
 * The one fact that decides whether a turn may start again: has it acted? It has if a tool was run or handed out, if words were said, or
 * if one of the agent's own tools began, since files may have changed. Thinking is not an act.
 *
 * It is recorded where things happen: where a call of an offered tool arrives (`answered`), and where the turn's events are written.
 * Everything that repeats work asks it: attempts, lanes, the streams of the API lane, idempotency keys, and the doors that advise their
 * clients. It never becomes false again.
 */
export interface TurnActs {
  readonly hasActed: boolean;
  note(): void;
  /** Notes the entries that are acts. */
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

/** A call counts whatever came of it, even if it was refused. */
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
 * What the log alone can tell about a turn whose process is gone. Calls of tools that the client or the gateway runs are logged before
 * they are made. The last acts of an agent with its own tools may be missing, so such a turn counts as having acted.
 */
export function hasActedByLog(events: readonly AgentEvent[]): boolean {
  const [start] = events;
  if (start === undefined) return false;
  return start.type !== "turn-start" || start.owner === undefined || events.some(isAct);
}

/**
 * Notes what is written of a turn. The end of a failed turn says whether it had acted: later readers may start it again only if it had
 * not.
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

/** Only an interrupted turn is also marked as not having acted; in an older log, the missing mark means unknown. */
export function errorWithActs(error: ErrorInfo, hasActed: boolean): ErrorInfo {
  if (hasActed) return afterActing(error);
  return error.code === "interrupted" && error.hasActed === undefined ? { ...error, hasActed: false } : error;
}
