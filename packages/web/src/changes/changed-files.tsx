import type { ChangedFile } from "@caret/protocol";
import { ChevronRight } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { ChangeCount } from "../diff/change-count.tsx";
import { fromUnified } from "../diff/diff-rows.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { isTyping } from "../screen/is-typing.ts";
import { type Review, ReviewDiff } from "./review-diff.tsx";

/** As much as one may want to read at once: more lines than these are opened by the reader. */
const LINES_AT_ONCE = 400;

interface ChangedFilesProps {
  readonly files: readonly ChangedFile[];
  /** What a reader may do with their lines; absent: only read them. */
  readonly review?: Review;
}

/** The files, each with its diff below it when open. `j` and `k` go from one to the next. */
export function ChangedFiles({ files, review }: ChangedFilesProps) {
  const list = useRef<HTMLUListElement>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(() => initiallyOpen(files));
  useFileKeys(list);
  const toggle = (path: string): void => {
    const next = new Set(open);
    if (!next.delete(path)) next.add(path);
    setOpen(next);
  };
  return (
    <ul className="grid grid-cols-[minmax(0,1fr)] gap-2" ref={list}>
      {files.map((file) => (
        <FileChange
          file={file}
          isOpen={open.has(file.path)}
          key={file.path}
          onToggle={() => toggle(file.path)}
          review={review}
        />
      ))}
    </ul>
  );
}

function useFileKeys(list: React.RefObject<HTMLUListElement | null>): void {
  useEffect(() => {
    const move = (event: KeyboardEvent): void => {
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const buttons = [...(list.current?.querySelectorAll<HTMLElement>("[data-file]") ?? [])];
      const now = buttons.indexOf(document.activeElement as HTMLElement);
      const next = buttons[now === -1 ? 0 : Math.min(buttons.length - 1, Math.max(0, now + step))];
      next?.focus();
      next?.scrollIntoView({ block: "nearest" });
    };
    addEventListener("keydown", move);
    return () => removeEventListener("keydown", move);
  }, [list]);
}

interface FileChangeProps {
  readonly file: ChangedFile;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly review: Review | undefined;
}

function FileChange({ file, isOpen, onToggle, review }: FileChangeProps) {
  const { path, oldPath, additions, deletions } = file;
  return (
    <li className="rounded-lg border border-line bg-raised">
      <div
        className={`sticky top-0 z-10 flex items-center rounded-t-lg bg-raised pr-1 ${isOpen ? "" : "rounded-b-lg"}`}
      >
        <button
          aria-expanded={isOpen}
          className="flex min-h-10 min-w-0 flex-1 cursor-pointer items-center gap-2 rounded-lg px-2.5 py-1 text-left hover:bg-panel"
          data-file=""
          onClick={onToggle}
          type="button"
        >
          <ChevronRight aria-hidden="true" className={`shrink-0 text-faint ${isOpen ? "rotate-90" : ""}`} size={16} />
          <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2">
            <FileName oldPath={oldPath} path={path} />
            <StatusWord status={file.status} />
            {additions !== undefined && deletions !== undefined && (
              <ChangeCount additions={additions} deletions={deletions} />
            )}
          </span>
        </button>
        <CopyButton label={`Copy the path ${path}`} text={path} />
      </div>
      {isOpen && <FileDiff file={file} review={review} />}
    </li>
  );
}

/** The end of a path says more than its beginning: it is the part that stays when there is no room. */
function FileName({ path, oldPath }: { readonly path: string; readonly oldPath: string | undefined }) {
  const cut = path.lastIndexOf("/") + 1;
  return (
    <span className="flex min-w-0 flex-wrap font-mono text-[13px] max-sm:w-full sm:flex-1">
      {oldPath !== undefined && <span className="w-full truncate text-faint line-through">{oldPath}</span>}
      <span className="flex min-w-0 max-w-full">
        <span className="truncate text-soft">{path.slice(0, cut)}</span>
        <span className="max-w-full shrink-0 truncate">{path.slice(cut)}</span>
      </span>
    </span>
  );
}

const statusLooks = {
  added: "text-good",
  untracked: "text-good",
  modified: "text-soft",
  renamed: "text-soft",
  deleted: "text-bad",
} as const;

function StatusWord({ status }: { readonly status: ChangedFile["status"] }) {
  return (
    <span className={`shrink-0 text-xs ${statusLooks[status]} ${status === "modified" ? "sr-only" : ""}`}>
      {status}
    </span>
  );
}

function FileDiff({ file, review }: { readonly file: ChangedFile; readonly review: Review | undefined }) {
  const { path, unified } = file;
  const rows = useMemo(() => (unified === undefined ? undefined : fromUnified(unified)), [unified]);
  return (
    <div className="overflow-hidden rounded-b-lg border-line border-t">
      {rows === undefined ? (
        <p className="px-3 py-3 text-soft">It is binary, or too large to be shown here.</p>
      ) : review === undefined || unified === undefined ? (
        <DiffView diff={rows} label={`Changes in ${path}`} />
      ) : (
        <ReviewDiff file={file} review={review} unified={unified} />
      )}
    </div>
  );
}

/** The first files whose diffs together are short enough to be read at once, and always the first that has one. */
export function initiallyOpen(files: readonly ChangedFile[]): ReadonlySet<string> {
  const open = new Set<string>();
  let lines = 0;
  for (const { path, unified, status } of files) {
    if (unified === undefined || status === "deleted") continue;
    lines += countLines(unified);
    if (lines > LINES_AT_ONCE && open.size > 0) break;
    open.add(path);
  }
  return open;
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
