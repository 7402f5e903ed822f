import { ChevronRight, FolderSearch } from "lucide-react";
import { memo } from "react";
import { Spinner } from "../parts/placeholders.tsx";
import { useRemembered } from "./card.tsx";
import { exploredWords } from "./fold-explored.ts";
import { ToolCard } from "./tool-card.tsx";
import { type ExploredRow, isSameExplored } from "./transcript-rows.ts";

const noSteps = [] as const;

/** What the agent looked at, in a line that opens to each call. */
export const ExploredRowView = memo(
  ({ row: { items, isOver } }: { readonly row: ExploredRow }) => {
    const [isOpen, setOpen] = useRemembered(`explored ${items[0]?.seq}`, false);
    return (
      <section aria-label="Explored">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex min-h-8 w-full cursor-pointer items-center gap-2 rounded-md px-2 text-left text-[13px] hover:bg-panel max-md:min-h-10"
        >
          <FolderSearch size={14} className="shrink-0 text-faint" aria-hidden="true" />
          <span className="font-medium">Explored</span>
          <span className="min-w-0 flex-1 truncate text-soft">{exploredWords(items.map(({ tool }) => tool))}</span>
          <ExploredState row={{ items, isOver }} />
          <ChevronRight
            size={14}
            aria-hidden="true"
            className={`shrink-0 text-faint transition-transform duration-100 ${isOpen ? "rotate-90" : ""}`}
          />
        </button>
        {isOpen && (
          <ul aria-label="Files and searches" className="ml-[15px] border-line border-l pl-1">
            {items.map((item) => (
              <li key={item.seq}>
                <ToolCard item={item} steps={noSteps} isOver={isOver} />
              </li>
            ))}
          </ul>
        )}
      </section>
    );
  },
  (before, after) => isSameExplored(before.row, after.row),
);

/** Folded is not hidden: that one of them failed, or still runs, is said on the line. */
function ExploredState({ row: { items, isOver } }: { readonly row: Pick<ExploredRow, "items" | "isOver"> }) {
  if (!isOver && items.some(({ tool }) => tool.status === "running"))
    return (
      <span className="flex shrink-0 items-center gap-1.5 text-[12px] text-soft">
        <Spinner /> Running
      </span>
    );
  const failed = items.filter(({ tool }) => tool.status !== "ok" && tool.status !== "running").length;
  return failed === 0 ? null : <span className="shrink-0 text-[12px] text-bad">{failed} failed</span>;
}
