import {
  type AgentEvent,
  afterActing,
  CaretError,
  type ErrorInfo,
  type TurnOutcome,
  type TurnShare,
} from "@caret/protocol";
import type { EventStore } from "../log/event-store.ts";
import { readAll } from "../log/read-turns.ts";
import { hasActedByLog, isAct } from "../log/turn-acts.ts";
import { lacksSecrets } from "./lost-secrets.ts";

/** A turn as logged. */
export interface LoggedTurn {
  readonly sessionId: string;
  readonly events: readonly AgentEvent[];
  /** When its last event was logged. */
  readonly at: number;
}

/** How a repeated request was recognised, which determines how it can be sent as a new one. */
export type KnownBy = "key" | "transcript";

interface TurnPlace {
  readonly sessionId: string;
  readonly turnId: string;
  /** Omitted: it is searched for. */
  readonly firstSeq?: number;
}

/** Undefined if its session was deleted. */
export async function readTurn(
  store: EventStore,
  { sessionId, turnId, firstSeq = 1 }: TurnPlace,
): Promise<LoggedTurn | undefined> {
  const events: AgentEvent[] = [];
  let at = 0;
  for await (const stored of readAll(store, sessionId, firstSeq - 1, { raw: false })) {
    if (stored.turnId === turnId) {
      events.push(stored.event);
      at = stored.at;
    } else if (events.length > 0) break;
  }
  return events.length === 0 ? undefined : { sessionId, events, at };
}

/** Undefined: the turn has not ended. */
export function outcomeOf({ events }: LoggedTurn): TurnOutcome | undefined {
  const last = events.at(-1);
  return last?.type === "turn-end" ? last.outcome : undefined;
}

/**
 * Whether an ended turn had acted. Earlier versions did not log that for a failed turn: its events tell, except for an interrupted turn,
 * which may have done more than they show.
 */
export function hasActedBefore(turn: LoggedTurn): boolean {
  const { events } = turn;
  const outcome = outcomeOf(turn);
  if (outcome?.kind !== "failed") return hasActedByLog(events);
  const { code, hasActed } = outcome.error;
  if (code === "interrupted" && hasActed === undefined) return hasActedByLog(events);
  return hasActed === true || events.some(isAct);
}

/** A share in an ended turn, from the log. */
export function loggedShare({ sessionId, events }: LoggedTurn, by: KnownBy): TurnShare {
  const [start] = events;
  const end = events.at(-1);
  if (start?.type !== "turn-start" || end?.type !== "turn-end")
    throw new CaretError("session-busy", `Another process runs the turn of this request, in session ${sessionId}`);
  if (events.some((event) => event.type === "tool-call" && event.owner === "client"))
    throw notKept(by, "had tool calls");
  if (lacksSecrets(events)) throw notKept(by, "had secrets in it, or `[redacted]`");
  return {
    turnId: start.turnId,
    sessionId,
    model: start.model ?? "auto",
    relation: "joined",
    startsTurn: true,
    follow: async (take) => await take(events),
    outcome: Promise.resolve(end.outcome),
    hasActed: () => hasActedByLog(events),
    cut: () => undefined,
    stop: () => undefined,
    leave: () => undefined,
  };
}

/**
 * A client that asks again did not cancel the turn: the error explains why the answer is incomplete and what to do. For any other failure,
 * it says that the request never succeeds if repeated like this.
 */
export function withReason(share: TurnShare, by: KnownBy): TurnShare {
  const explain = (outcome: TurnOutcome): TurnOutcome => {
    if (outcome.kind === "cancelled") return { kind: "failed", error: endedEarly(by).toInfo() };
    return outcome.kind === "failed" ? { kind: "failed", error: neverPasses(outcome.error, by) } : outcome;
  };
  return {
    ...share,
    follow: (take, signal) =>
      share.follow(
        (batch) =>
          take(
            batch.map((event) => (event.type === "turn-end" ? { ...event, outcome: explain(event.outcome) } : event)),
          ),
        signal,
      ),
    outcome: share.outcome.then(explain),
  };
}

/** How to turn the request into a new one, so it is done again. */
const otherwise: Readonly<Record<KnownBy, string>> = {
  key: "send the request under a new key",
  transcript: "send it as a new request",
};

function neverPasses(error: ErrorInfo, by: KnownBy): ErrorInfo {
  if (error.hasActed === true || error.retryable)
    return { ...afterActing(error), fix: `See what the turn has done. To have it done again, ${otherwise[by]}.` };
  return { ...error, fix: `${error.fix} Then ${otherwise[by]}: this one is not begun again.` };
}

function endedEarly(by: KnownBy): CaretError {
  const what = by === "key" ? "this idempotency-key" : "this request, which was sent before,";
  const message = `The turn of ${what} was stopped before its answer was whole: by a person, or because its client left`;
  const fix = `See what the turn has done. To have it answered, ${otherwise[by]}.`;
  return new CaretError("invalid-request", message, { fix });
}

/** The log keeps answers without secrets. A client gets either the agent's own words or the reason why it does not. */
function notKept(by: KnownBy, what: string): CaretError {
  const whose = by === "key" ? "this idempotency-key" : "this request";
  const message = `The answer to ${whose} ${what}, and is no longer kept as it was: the log keeps no secrets`;
  return new CaretError("answer-not-kept", message);
}
