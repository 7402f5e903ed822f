import type { TranscriptTurn } from "@caret/protocol";
import type { TurnMoment } from "../terminal/waiting-for.ts";

/** What a turn is doing, read off its transcript. */
export function momentOf(turn: TranscriptTurn, now: number, isStopping: boolean): TurnMoment {
  const { items } = turn;
  const open = items.findLast((item) => (item.kind === "text" || item.kind === "thinking") && item.isOpen);
  const asked = items.filter((item) => (item.kind === "approval" || item.kind === "question") && !item.answer);
  const running = items.flatMap((item) =>
    // While a tool asks, the wait is for the person, not the tool.
    item.kind === "tool" && item.tool.status === "running" && item.isAsked !== true && item.tool.kind !== "question"
      ? [{ tool: item.tool, elapsedMs: now - item.startedAt }]
      : [],
  );
  return {
    isStopping,
    hasBegun: true,
    hasSpoken: items.some(({ kind }) => kind !== "notice"),
    openBlock: open?.kind === "text" || open?.kind === "thinking" ? open.kind : undefined,
    isAsking: asked.length > 0,
    running,
    workspace: turn.start?.workspace,
  };
}
