import { ChevronRight, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { CopyButton } from "../parts/copy-button.tsx";
import { useRemembered } from "./card-memory.ts";
import { RawView } from "./raw-view.tsx";
import { useTranscriptActions } from "./transcript-actions.ts";

interface CardProps {
  /** The first event of what it shows: its identity, and the way to the raw line. */
  readonly seq: number;
  readonly icon: LucideIcon;
  readonly title: ReactNode;
  /** In words, at the end of the line: how it went and how long it took. */
  readonly state?: ReactNode;
  /** Absent: there is nothing to open but the raw line. */
  readonly children?: ReactNode;
  /** What the copy button copies. */
  readonly copyText?: string;
  readonly isOpenAtFirst?: boolean;
}

/** One thing that happened: a line that opens. */
export function Card({ seq, icon: Icon, title, state, children, copyText, isOpenAtFirst = false }: CardProps) {
  const [isOpen, setOpen] = useRemembered(`open ${seq}`, isOpenAtFirst);
  return (
    <article className={`rounded-md border ${isOpen ? "border-line bg-raised" : "border-transparent"}`}>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-8 w-full cursor-pointer items-center gap-2 rounded-md px-2 text-left text-[13px] hover:bg-panel max-md:min-h-10"
      >
        <Icon size={14} className="shrink-0 text-faint" aria-hidden="true" />
        <span className="flex min-w-0 flex-1 items-baseline gap-2">{title}</span>
        {state}
        <ChevronRight
          size={14}
          aria-hidden="true"
          className={`shrink-0 text-faint transition-transform duration-100 ${isOpen ? "rotate-90" : ""}`}
        />
      </button>
      {isOpen && (
        <div className="border-line border-t">
          {children}
          <CardFoot seq={seq} copyText={copyText} />
        </div>
      )}
    </article>
  );
}

function CardFoot({ seq, copyText }: { readonly seq: number; readonly copyText: string | undefined }) {
  const { readRaw } = useTranscriptActions();
  const [isRaw, setRaw] = useRemembered(`raw ${seq}`, false);
  if (readRaw === undefined && copyText === undefined) return null;
  return (
    <>
      <div className="flex min-h-8 items-center justify-end gap-1 border-line border-t px-1 text-[12px] text-faint">
        {readRaw !== undefined && (
          <button
            type="button"
            aria-pressed={isRaw}
            onClick={() => setRaw(!isRaw)}
            className="min-h-6 cursor-pointer rounded px-2 hover:bg-panel hover:text-ink aria-pressed:text-accent max-md:min-h-10"
          >
            Raw
          </button>
        )}
        {copyText !== undefined && <CopyButton text={copyText} label="Copy" />}
      </div>
      {isRaw && <RawView seq={seq} />}
    </>
  );
}
