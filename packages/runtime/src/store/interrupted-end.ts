import { type AgentEvent, CaretError, type ErrorInfo } from "@caret/protocol";

/** What of a turn is still open: at most one block, the calls without a result, and what nobody has answered. */
export interface OpenParts {
  closeBlock: AgentEvent | undefined;
  readonly calls: Set<string>;
  /** By their ids. */
  readonly asks: Map<string, "approval" | "question">;
}

export function noOpenParts(): OpenParts {
  return { closeBlock: undefined, calls: new Set(), asks: new Map() };
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
      parts.calls.add(event.callId);
      return;
    case "tool-result":
      parts.calls.delete(event.callId);
      return;
    case "approval-request":
      parts.asks.set(event.requestId, "approval");
      return;
    case "question":
      parts.asks.set(event.requestId, "question");
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
  const what = error.code === "interrupted" ? "Caret stopped" : "The turn ended";
  return [
    ...(closeBlock === undefined ? [] : [closeBlock]),
    ...[...asks].map(([requestId, kind]) => unanswered(requestId, kind, `${what} before anybody answered`)),
    ...[...calls].map((callId): AgentEvent => {
      return { type: "tool-result", callId, status: "interrupted", output: `${what} before this call had a result.` };
    }),
    { type: "turn-end", outcome: { kind: "failed", error } },
  ];
}

function unanswered(requestId: string, kind: "approval" | "question", reason: string): AgentEvent {
  return kind === "question"
    ? { type: "question-answer", requestId, outcome: "skipped", reason }
    : { type: "approval-answer", requestId, decision: "rejected", by: "policy", reason };
}
