import { Brain } from "lucide-react";
import { Duration, formatDuration } from "../parts/duration.tsx";
import { useRemembered } from "./card.tsx";
import type { ItemOf } from "./transcript-rows.ts";

/** Nobody counts tenths of a second. */
const BRIEF_MS = 950;

/** While it goes on its last words can be read; then it is a line that opens. */
export function ThinkingRow({ item, isOver }: { readonly item: ItemOf<"thinking">; readonly isOver: boolean }) {
  const [isOpen, setOpen] = useRemembered(`thinking ${item.seq}`, false);
  const isLive = item.isOpen && !isOver;
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        disabled={item.text.trim() === ""}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2 text-[13px] text-soft hover:bg-panel disabled:cursor-default max-md:min-h-10"
      >
        <Brain size={14} className="shrink-0 text-faint" aria-hidden="true" />
        {isLive ? (
          <span>
            Thinking <Duration since={item.startedAt} />
          </span>
        ) : (
          <span>{thoughtWords(item)}</span>
        )}
      </button>
      {isOpen ? <ThinkingText text={item.text} /> : isLive && <ThinkingText text={lastWords(item.text)} isPreview />}
    </div>
  );
}

/** A preview is two lines high, and shows the last two. */
function ThinkingText({ text, isPreview = false }: { readonly text: string; readonly isPreview?: boolean }) {
  return (
    <div
      className={`ml-[15px] flex flex-col justify-end overflow-hidden border-line border-l pl-4 ${isPreview ? "max-h-10" : ""}`}
    >
      <p className="whitespace-pre-wrap text-[13px] text-soft leading-5 [overflow-wrap:anywhere]">{text}</p>
    </div>
  );
}

function thoughtWords({ durationMs }: ItemOf<"thinking">): string {
  if (durationMs === undefined) return "Thought";
  return durationMs < BRIEF_MS ? "Thought for a moment" : `Thought for ${formatDuration(durationMs)}`;
}

function lastWords(text: string): string {
  const tail = text.slice(-400);
  return tail.length < text.length ? `…${tail.slice(tail.indexOf(" ") + 1)}` : tail;
}
