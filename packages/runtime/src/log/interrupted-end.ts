import { type AgentEvent, type AgentEventOf, CaretError, type ErrorInfo } from "@caret/protocol";
import type { EventStore, RunningTurn, RunningTurnQuery } from "./event-store.ts";
import { readAll } from "./read-turns.ts";
import { errorWithActs, hasActedByLog } from "./turn-acts.ts";
import { notRun } from "./why-stopped.ts";

/** Characters of an open call's output kept for its result; the log has all of it. */
const MAX_PRINTED = 1024 * 1024;
const LEFT_OUT = "\n[what it printed then was left out]";

/** What is still open in a turn: at most one block, calls without a result, and unanswered requests. */
export interface OpenParts {
  closeBlock: AgentEvent | undefined;
  /** Each call's output so far, capped. */
  readonly calls: Map<string, string>;
  /** By request id. */
  readonly asks: Map<string, AgentEventOf<"approval-request" | "question">>;
}

export function noOpenParts(): OpenParts {
  return { closeBlock: undefined, calls: new Map(), asks: new Map() };
}

/** Applies one event of a turn. Changes `parts` in place, because a turn may have a million events. */
export function trackOpenParts(parts: OpenParts, event: AgentEvent): void {
  switch (event.type) {
    case "text-start":
      parts.closeBlock = { type: "text-end", blockId: event.blockId };
      return;
    case "thinking-start":
      parts.closeBlock = { type: "thinking-end", blockId: event.blockId };
      return;
    case "text-end":
    case "thinking-end":
      parts.closeBlock = undefined;
      return;
    case "tool-call":
      parts.calls.set(event.callId, "");
      return;
    case "tool-output":
      parts.calls.set(event.callId, printedSoFar(parts.calls.get(event.callId) ?? "", event.text));
      return;
    case "tool-result":
      parts.calls.delete(event.callId);
      return;
    case "approval-request":
    case "question":
      parts.asks.set(event.requestId, event);
      return;
    case "approval-answer":
    case "question-answer":
      parts.asks.delete(event.requestId);
      return;
    default:
      return;
  }
}

/** Capped like results: it stays in memory while the call is open and becomes a single event at its end. */
function printedSoFar(before: string, text: string): string {
  if (before.length > MAX_PRINTED) return before;
  const whole = before + text;
  return whole.length > MAX_PRINTED ? `${whole.slice(0, MAX_PRINTED)}${LEFT_OUT}` : whole;
}

/** The error of a turn that ended because Caret stopped. */
export function stoppedWithCaret(): CaretError {
  return new CaretError("interrupted", "Caret stopped while this turn was running");
}

/** The closing events of a turn that was cut short: they make it well-formed and settle what still waited. */
export function interruptedEnd(
  { closeBlock, calls, asks }: OpenParts,
  error: ErrorInfo = stoppedWithCaret().toInfo(),
): readonly AgentEvent[] {
  const approvals = [...asks.values()].filter(({ type }) => type === "approval-request");
  const waitedFor = new Set(approvals.map(({ callId }) => callId));
  const what = error.code === "interrupted" ? "Caret stopped" : "The turn ended";
  return [
    ...(closeBlock === undefined ? [] : [closeBlock]),
    ...[...asks.values()].map((ask) => unanswered(ask, `${what} before anybody answered`)),
    ...[...calls].map(([callId, printed]): AgentEvent => {
      const settled = { type: "tool-result", callId, status: "interrupted" } as const;
      // A call that still waited for approval was never started.
      return waitedFor.has(callId)
        ? { ...settled, notRun: true, output: notRun(what) }
        : { ...settled, output: withOutput(printed, `${what} before this call had a result.`) };
    }),
    { type: "turn-end", outcome: { kind: "failed", error } },
  ];
}

/** The result of a stopped command: its output, and why it stopped. */
export function withOutput(printed: string, note: string): string {
  if (printed === "") return note;
  return `${printed}${printed.endsWith("\n") ? "" : "\n"}[${note}]`;
}

function unanswered({ type, requestId }: AgentEventOf<"approval-request" | "question">, reason: string): AgentEvent {
  return type === "question"
    ? { type: "question-answer", requestId, outcome: "skipped", reason }
    : { type: "approval-answer", requestId, decision: "rejected", by: "nobody", reason };
}

interface InterruptOptions extends RunningTurnQuery {
  /** Whether a turn's owner can still end it itself. */
  readonly isAlive?: (owner: string) => boolean;
}

/**
 * Ends every turn whose owner died before it could. Any process may call it at any time, even concurrently: each turn is ended by one of
 * them. Returns the turns that this call ended.
 */
export async function interruptRunningTurns(
  store: EventStore,
  { isAlive = (owner) => store.isOwnerAlive(owner), ...query }: InterruptOptions = {},
): Promise<readonly RunningTurn[]> {
  const ended: RunningTurn[] = [];
  const turns = await store.runningTurns(query);
  // Asking takes a file lock, and most turns share one owner.
  const isDead = new Map([...new Set(turns.map(({ owner }) => owner))].map((owner) => [owner, !isAlive(owner)]));
  for (const turn of turns) if (isDead.get(turn.owner) && (await interruptTurn(store, turn))) ended.push(turn);
  return ended;
}

/** What is needed to end a turn in the log. */
export type UnendedTurn = Pick<RunningTurn, "sessionId" | "turnId" | "firstSeq">;

/**
 * Closes what the turn left open and ends it: as stopped with its process, unless another reason is given. The end says whether the turn
 * may have acted. Returns false if another process ended it first.
 */
export async function interruptTurn(
  store: EventStore,
  turn: UnendedTurn,
  reason: ErrorInfo = stoppedWithCaret().toInfo(),
): Promise<boolean> {
  // Order matters: a process that ends the turn after we saw it running moves the session beyond the `lastSeq` we read before.
  const session = await store.getSession(turn.sessionId);
  if (session === undefined || !(await isRunning(store, turn))) return false;
  const { parts, hasActed } = await readUnended(store, turn);
  const end = interruptedEnd(parts, errorWithActs(reason, hasActed));
  const entries = end.map((event) => ({ turnId: turn.turnId, event }));
  try {
    await store.append(turn.sessionId, session.lastSeq, entries);
    return true;
  } catch (refusal) {
    if (isOvertaken(refusal)) return false;
    throw refusal;
  }
}

async function isRunning(store: EventStore, { sessionId, turnId }: UnendedTurn): Promise<boolean> {
  return (await store.runningTurns({ sessionId })).some((turn) => turn.turnId === turnId);
}

function isOvertaken(reason: unknown): boolean {
  return CaretError.is(reason) && (reason.code === "session-busy" || reason.code === "session-not-found");
}

async function readUnended(store: EventStore, turn: UnendedTurn) {
  const parts = noOpenParts();
  let hasActed = false;
  let start: AgentEvent | undefined;
  for await (const { turnId, event } of readAll(store, turn.sessionId, turn.firstSeq - 1)) {
    if (turnId !== turn.turnId) continue;
    start ??= event;
    hasActed ||= hasActedByLog([start, event]);
    trackOpenParts(parts, event);
  }
  return { parts, hasActed };
}
