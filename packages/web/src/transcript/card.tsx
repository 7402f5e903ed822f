import { Braces, ChevronRight, ExternalLink, type LucideIcon } from "lucide-react";
import { createContext, type ReactNode, use, useState } from "react";
import { IconButton } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { RawView } from "./raw-view.tsx";
import { useTranscriptActions } from "./transcript-actions.ts";

const Memory = createContext<CardMemory>(new Map());

export const CardMemoryProvider = Memory.Provider;

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
  /** The file that it is about, to be opened elsewhere. */
  readonly file?: CardFile | undefined;
  readonly isOpenAtFirst?: boolean;
}

export interface CardFile {
  readonly path: string;
  readonly line?: number;
}

/** One thing that happened: a line that opens. */
export function Card({ seq, icon: Icon, title, state, children, copyText, file, isOpenAtFirst = false }: CardProps) {
  const { readRaw } = useTranscriptActions();
  // Until the reader opens or closes it, a card that fails while it is looked at opens by itself.
  const [chosen, setOpen] = useRemembered<boolean | undefined>(`open ${seq}`, undefined);
  const isOpen = chosen ?? isOpenAtFirst;
  const [isRaw, setRaw] = useRemembered(`raw ${seq}`, false);
  return (
    <article className={`rounded-md border ${isOpen ? "border-line bg-raised" : "border-transparent"}`}>
      <div className="flex items-center">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex min-h-8 min-w-0 flex-1 cursor-pointer items-center gap-2 rounded-md px-2 text-left text-[13px] hover:bg-panel max-md:min-h-10"
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
        {isOpen && readRaw !== undefined && (
          <IconButton
            icon={<Braces aria-hidden="true" size={14} />}
            label="Raw"
            aria-pressed={isRaw}
            onClick={() => setRaw(!isRaw)}
          />
        )}
        {isOpen && file !== undefined && <OpenInEditor file={file} />}
        {isOpen && copyText !== undefined && <CopyButton text={copyText} label="Copy" />}
      </div>
      {isOpen && (
        <div className="border-line border-t">
          {children}
          {isRaw && <RawView seq={seq} />}
        </div>
      )}
    </article>
  );
}

function OpenInEditor({ file: { path, line } }: { readonly file: CardFile }) {
  const { editorLink } = useTranscriptActions();
  const link = editorLink?.(path, line);
  if (link === undefined) return null;
  return (
    <a
      href={link.href}
      aria-label={link.label}
      title={link.label}
      className="inline-flex size-10 shrink-0 items-center justify-center rounded-md text-soft hover:bg-panel hover:text-ink md:size-8"
    >
      <ExternalLink aria-hidden="true" size={14} />
    </a>
  );
}

/** What a reader opened and closed. The list forgets cards that scroll out of sight; this does not. */
export type CardMemory = Map<string, unknown>;

/** State of a card under a name that is unique in the transcript. */
export function useRemembered<Value>(name: string, initial: Value): readonly [Value, (value: Value) => void] {
  const memory = use(Memory);
  const [value, setValue] = useState(() => (memory.has(name) ? (memory.get(name) as Value) : initial));
  const remember = (next: Value) => {
    memory.set(name, next);
    setValue(next);
  };
  return [value, remember];
}
