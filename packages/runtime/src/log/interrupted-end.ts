import { type AgentEvent, type AgentEventOf, CaretError, type ErrorInfo } from "@caret/protocol";
import type { EventStore, RunningTurn, RunningTurnQuery } from "./event-store.ts";
import { readAll } from "./read-turns.ts";
import { errorWithActs, hasActedByLog } from "./turn-acts.ts";
import { notRun } from "./why-stopped.ts";

/** So many characters of what an open call has printed are kept for its result; all of it is in the log. */
const MAX_PRINTED = 1024 * 1024;
const LEFT_OUT = "\n[what it printed then was left out]";

/** What of a turn is still open: at most one block, the calls without a result, and what nobody has answered. */
export interface OpenParts {
  closeBlock: AgentEvent | undefined;
  /** What each has printed so far, cut. */
  readonly calls: Map<string, string>;
  /** By their ids. */
  readonly asks: Map<string, AgentEventOf<"approval-request" | "question">>;
}

export function noOpenParts(): OpenParts {
  return { closeBlock: undefined, calls: new Map(), asks: new Map() };
}

/** Follow one event of a turn. Changes `parts` in place, because a turn may have a million events. */
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

/** Bounded, as results are: it is in memory for as long as the call is open, and one event at its end. */
function printedSoFar(before: string, text: string): string {
  if (before.length > MAX_PRINTED) return before;
  const whole = before + text;
  return whole.length > MAX_PRINTED ? `${whole.slice(0, MAX_PRINTED)}${LEFT_OUT}` : whole;
}

/** What is said about a turn that ended because Caret did. */
export function stoppedWithCaret(): CaretError {
  return new CaretError("interrupted", "Caret stopped while this turn was running");
}

/** The end of a turn that nobody could finish: with it the turn is well-formed, and tells what became of what waited. */
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
      // A call that still waited for its approval was never started.
      return waitedFor.has(callId)
        ? { ...settled, notRun: true, output: notRun(what) }
        : { ...settled, output: withOutput(printed, `${what} before this call had a result.`) };
    }),
    { type: "turn-end", outcome: { kind: "failed", error } },
  ];
}

/** The result of a command that was stopped: what it has printed, and what became of it. */
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
  /** Whether the owner of a turn can still end it itself. */
  readonly isAlive?: (owner: string) => boolean;
}

/**
 * End every turn whose owner died before it could. Any process may call it at any time, several at once too: each turn is
 * ended by one of them. Returns the turns that this call ended.
 */
export async function interruptRunningTurns(
  store: EventStore,
  { isAlive = (owner) => store.isOwnerAlive(owner), ...query }: InterruptOptions = {},
): Promise<readonly RunningTurn[]> {
  const ended: RunningTurn[] = [];
  const turns = await store.runningTurns(query);
  // To ask takes a file's lock, and most turns are one owner's.
  const isDead = new Map([...new Set(turns.map(({ owner }) => owner))].map((owner) => [owner, !isAlive(owner)]));
  for (const turn of turns) if (isDead.get(turn.owner) && (await interruptTurn(store, turn))) ended.push(turn);
  return ended;
}

/** A turn in the log, as much as it takes to end it. */
export type UnendedTurn = Pick<RunningTurn, "sessionId" | "turnId" | "firstSeq">;

/**
 * Close what the turn left open and end it: because its process stopped, unless another reason is known. The end says whether
 * the turn may have acted. Gives whether it ended it: another process may have done so first.
 */
export async function interruptTurn(
  store: EventStore,
  turn: UnendedTurn,
  reason: ErrorInfo = stoppedWithCaret().toInfo(),
): Promise<boolean> {
  // In this order: a process that ends the turn after it was seen running moves the session on from the `lastSeq` seen before.
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
