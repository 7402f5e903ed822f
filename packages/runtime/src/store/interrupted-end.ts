import { type AgentEvent, CaretError, type ErrorInfo } from "@caret/protocol";

/** What of a turn is still open: at most one block, and the calls without a result. */
export interface OpenParts {
  closeBlock: AgentEvent | undefined;
  readonly calls: Set<string>;
}

export function noOpenParts(): OpenParts {
  return { closeBlock: undefined, calls: new Set() };
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
    default:
      return;
  }
}

/** What is said about a turn that ended because Caret did. */
export function stoppedWithCaret(): CaretError {
  return new CaretError("interrupted", "Caret stopped while this turn was running");
}

/** The end of a turn that nobody could finish: with it the turn is well-formed. */
export function interruptedEnd(
  { closeBlock, calls }: OpenParts,
  error: ErrorInfo = stoppedWithCaret().toInfo(),
): readonly AgentEvent[] {
  return [
    ...(closeBlock === undefined ? [] : [closeBlock]),
    ...[...calls].map(
      (callId): AgentEvent => ({
        type: "tool-result",
        callId,
        status: "interrupted",
        output: `${error.code === "interrupted" ? "Caret stopped" : "The turn ended"} before this call had a result.`,
      }),
    ),
    { type: "turn-end", outcome: { kind: "failed", error } },
  ];
}
