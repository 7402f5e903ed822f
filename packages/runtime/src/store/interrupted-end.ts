import { type AgentEvent, type AgentEventOf, CaretError, type ErrorInfo } from "@caret/protocol";
import { notRun } from "../engine/why-stopped.ts";

/** What of a turn is still open: at most one block, the calls without a result, and what nobody has answered. */
export interface OpenParts {
  closeBlock: AgentEvent | undefined;
  /** What each has printed so far. */
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
      parts.calls.set(event.callId, (parts.calls.get(event.callId) ?? "") + event.text);
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
