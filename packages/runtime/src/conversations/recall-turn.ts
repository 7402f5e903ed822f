import {
  type AgentEvent,
  afterActing,
  CaretError,
  type CommandKey,
  type CommandRecord,
  type ErrorInfo,
  type TurnOutcome,
  type TurnShare,
} from "@caret/protocol";
import type { EventStore, StoredEvent } from "../log/event-store.ts";
import { readAll } from "../log/read-turns.ts";
import { hasActedByLog, isAct } from "../turns/turn-acts.ts";
import { lacksSecrets } from "./lost-secrets.ts";
import type { ResolvedRequest } from "./resolved-request.ts";
import type { SharedTurn } from "./shared-turn.ts";

/** What the log knows of a request with an idempotency key: the turn it began, or the record under which it may begin one. */
export type Recalled = { readonly turn: TurnShare } | { readonly command: CommandKey | undefined };

export interface RecallOptions {
  readonly store: EventStore;
  readonly findShared: (turnId: string) => SharedTurn | undefined;
  /** The digest of the transcript that the request brings. */
  readonly hash: string;
}

/**
 * Look for the turn that the same request began before, in this process or in one that was stopped or killed since. It is
 * answered with that turn, and no second one begins. Only a turn that failed of something passing before it had acted is begun
 * again, under a record of its own: clients send the same key when they try again.
 */
export async function recallTurn({ command, client }: ResolvedRequest, options: RecallOptions): Promise<Recalled> {
  if (command === undefined) return { command };
  for (let attempt = 1; ; attempt++) {
    const name = attempt === 1 ? command.name : `${command.name} ${attempt}`;
    const done = await options.store.findCommand(name);
    if (done === undefined) return { command: { ...command, name } };
    if (done.digest !== command.digest) throw otherRequest();
    const turn = await turnOf(done, options, client);
    if (turn !== undefined) return { turn };
  }
}

/** Undefined when the turn is to be begun again: it failed of something passing, or was deleted since. */
async function turnOf(
  done: CommandRecord,
  { store, findShared, hash }: RecallOptions,
  client: ResolvedRequest["client"],
): Promise<TurnShare | undefined> {
  const shared = done.turn && findShared(done.turn.turnId);
  const isRunning = shared !== undefined && shared.endedAt === undefined;
  const events = isRunning ? [] : await eventsOf(store, done);
  if (!isRunning && isToBeginAgain(events.map(({ event }) => event))) return undefined;
  const share = shared?.take(hash, "joined", client) ?? loggedTurn(done, events);
  return isRunning ? share : withReason(share);
}

/**
 * A client that asks again did not cancel the turn: the error says why there is no whole answer, and what to do. Whatever else the
 * turn failed of, under this key it never passes.
 */
function withReason(share: TurnShare): TurnShare {
  const explain = (outcome: TurnOutcome): TurnOutcome => {
    if (outcome.kind === "cancelled") return { kind: "failed", error: endedEarly().toInfo() };
    return outcome.kind === "failed" ? { kind: "failed", error: neverPasses(outcome.error) } : outcome;
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

/** None when the session was deleted since. */
async function eventsOf(store: EventStore, { sessionId, turn }: CommandRecord): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  if (turn === undefined) return events;
  for await (const stored of readAll(store, sessionId, turn.firstSeq - 1, { raw: false })) {
    if (stored.turnId !== turn.turnId) break;
    events.push(stored);
  }
  return events;
}

/**
 * Whether the turn failed of something passing and had not acted. Logs of earlier versions do not say whether it had: their events
 * do, but for a turn that was interrupted, which may have done what is not in them.
 */
function isToBeginAgain(events: readonly AgentEvent[]): boolean {
  const last = events.at(-1);
  if (last === undefined) return true;
  if (last.type !== "turn-end" || last.outcome.kind !== "failed") return false;
  const { code, retryable, hasActed } = last.outcome.error;
  if (code === "interrupted" && hasActed === undefined) return !hasActedByLog(events);
  return retryable && hasActed !== true && !events.some(isAct);
}

function neverPasses(error: ErrorInfo): ErrorInfo {
  if (error.hasActed !== true && !error.retryable) return error;
  return {
    ...afterActing(error),
    fix: "See what the turn has done. To have it done again, send the request under a new key.",
  };
}

/** A turn of another process, as the log keeps it. */
function loggedTurn({ sessionId }: CommandRecord, stored: readonly StoredEvent[]): TurnShare {
  const events = stored.map(({ event }) => event);
  const [start] = events;
  const end = events.at(-1);
  if (start?.type !== "turn-start" || end?.type !== "turn-end")
    throw new CaretError("session-busy", `Another process runs the turn of this request, in session ${sessionId}`);
  if (events.some((event) => event.type === "tool-call" && event.owner === "client")) throw notKept("had tool calls");
  if (lacksSecrets(events)) throw notKept("had secrets in it, or `[redacted]`");
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

function otherRequest(): CaretError {
  return new CaretError("invalid-request", "idempotency-key: was used before, with another body.", {
    fix: "Use a new key for each new request.",
  });
}

/** The log keeps answers without secrets. A client is given what the agent said, or the reason why it is not. */
function notKept(what: string): CaretError {
  const message = `The answer to this idempotency-key ${what}, and is no longer kept as it was: the log keeps no secrets`;
  return new CaretError("answer-not-kept", message);
}

function endedEarly(): CaretError {
  const message =
    "The turn of this idempotency-key was stopped before its answer was whole: by a person, or because its client left";
  return new CaretError("invalid-request", message, { fix: "Send the request under a new key to have it answered." });
}
