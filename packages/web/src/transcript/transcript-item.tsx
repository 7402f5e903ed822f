import { memo, type ReactNode } from "react";
import { Markdown } from "../markdown/markdown.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { NoticeRow } from "./notice-row.tsx";
import { PlanCard } from "./plan-card.tsx";
import { QuestionCard } from "./question-card.tsx";
import { ThinkingRow } from "./thinking-row.tsx";
import { TodosCard } from "./todos-card.tsx";
import { ToolCard } from "./tool-card.tsx";
import { type ItemRow, isSameRow } from "./transcript-rows.ts";
import { UnknownCard } from "./unknown-card.tsx";

/** One item of a turn. It is drawn again only when it looks different. */
export const TranscriptItemView = memo(
  ({ row }: { readonly row: ItemRow }) => renderItem(row),
  (before, after) => isSameRow(before.row, after.row),
);

function renderItem({ item, isOver, isOutdated, isNext, steps }: ItemRow): ReactNode {
  switch (item.kind) {
    case "text":
      return (
        <div className="px-2 py-1">
          {item.isTail && <p className="text-[12px] text-faint">The beginning of this text is not loaded yet.</p>}
          <Markdown text={item.text} isOpen={item.isOpen && !isOver} />
        </div>
      );
    case "thinking":
      return <ThinkingRow item={item} isOver={isOver} />;
    case "tool":
      return <ToolCard item={item} steps={steps} isOver={isOver} />;
    case "todos":
      return <TodosCard item={item} isOutdated={isOutdated} />;
    case "plan":
      return <PlanCard item={item} />;
    case "question":
      return <QuestionCard item={item} isOver={isOver} />;
    case "approval":
      return <ApprovalCard item={item} isOver={isOver} isNext={isNext} />;
    case "notice":
      return <NoticeRow item={item} />;
    case "unknown":
      return <UnknownCard item={item} />;
  }
}
