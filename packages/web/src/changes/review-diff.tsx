import { type ChangedFile, splitHunks } from "@caret/protocol";
import { MessageSquarePlus, Undo2 } from "lucide-react";
import { useMemo, useState } from "react";
import { type DiffRow, fromUnified } from "../diff/diff-rows.ts";
import { DiffLine } from "../diff/diff-view.tsx";
import { useDiffColours } from "../diff/use-diff-colours.ts";
import type { HighlightedLine } from "../markdown/highlighter.ts";
import { Button } from "../parts/button.tsx";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { commentKey, type ReviewComment } from "./review-comments.ts";

/** More lines than this are opened by the reader. */
const MOST_LINES = 400;

/** What a reader does with the lines of a change. */
export interface Review {
  readonly comments: ReadonlyMap<string, ReviewComment>;
  /** Without a text it is taken back. */
  readonly onComment: (comment: ReviewComment) => void;
  readonly onDiscard: (path: string, hunk: string) => Promise<void>;
  /** The agent is at work: nothing may be discarded meanwhile. */
  readonly isBusy: boolean;
}

interface ReviewDiffProps {
  readonly file: ChangedFile;
  readonly unified: string;
  readonly review: Review;
}

/** The hunks of a file, each to be discarded, each line to be commented on. */
export function ReviewDiff({ file, unified, review }: ReviewDiffProps) {
  const [isWhole, setWhole] = useState(false);
  const hunks = useMemo(() => splitHunks(unified).map((text) => ({ text, rows: fromUnified(text).rows })), [unified]);
  const shown = isWhole ? hunks : firstHunks(hunks);
  if (hunks.length === 0) return <p className="px-3 py-2 text-soft">No lines to show.</p>;
  return (
    <>
      {shown.map((hunk) => (
        <HunkView hunk={hunk} key={hunk.text} path={file.path} review={review} />
      ))}
      {shown.length < hunks.length && (
        <button
          className="block min-h-10 w-full cursor-pointer border-line border-t px-3 text-left text-[13px] text-soft hover:bg-panel hover:text-ink"
          onClick={() => setWhole(true)}
          type="button"
        >
          Show {hunks.length - shown.length} more parts
        </button>
      )}
    </>
  );
}

interface HunkViewProps {
  readonly path: string;
  readonly hunk: ShownHunk;
  readonly review: Review;
}

function HunkView({ path, hunk: { text, rows }, review }: HunkViewProps) {
  const [writing, setWriting] = useState<DiffRow>();
  const [isDiscarding, setDiscarding] = useState(false);
  const [head, ...lines] = rows;
  const [, ...colours] = useDiffColours(rows, path);
  const firstChange = lines.find(({ kind }) => kind !== "context");
  return (
    <section
      aria-label={`${path}, line ${head?.newLine ?? 0}`}
      className="group/hunk diff-lines font-mono text-[12px] leading-5"
    >
      <div className="flex items-center border-line/60 border-y bg-panel pl-3 font-sans text-faint group-first/hunk:border-t-0">
        <span className="min-w-0 flex-1 truncate">{hunkWords(head)}</span>
        <Button
          icon={<MessageSquarePlus aria-hidden="true" size={14} />}
          onClick={() => setWriting(firstChange)}
          tone="quiet"
        >
          Comment
        </Button>
        <Button
          disabled={review.isBusy}
          icon={<Undo2 aria-hidden="true" size={14} />}
          onClick={() => setDiscarding(true)}
          tone="quiet"
        >
          Discard
        </Button>
        {isDiscarding && (
          <ConfirmDialog
            action="Discard"
            onClose={() => setDiscarding(false)}
            onConfirm={() => review.onDiscard(path, text)}
            title="Discard this change?"
          >
            These lines of <code className="font-mono text-[13px]">{path}</code> become what they were before. This
            cannot be undone here.
          </ConfirmDialog>
        )}
      </div>
      {lines.map((row, index) => (
        <ReviewLine
          colours={colours[index]}
          isWriting={row === writing}
          key={`${row.kind} ${row.oldLine ?? ""} ${row.newLine ?? ""}`}
          onWrite={(isWriting) => setWriting(isWriting ? row : undefined)}
          path={path}
          review={review}
          row={row}
        />
      ))}
    </section>
  );
}

function hunkWords(head: DiffRow | undefined): string {
  return head === undefined || head.text === ""
    ? `Line ${head?.newLine ?? "?"}`
    : `Line ${head.newLine} · ${head.text}`;
}

type ShownHunk = { readonly text: string; readonly rows: readonly DiffRow[] };

function firstHunks(hunks: readonly ShownHunk[]): readonly ShownHunk[] {
  let lines = 0;
  return hunks.filter(({ rows }, index) => {
    lines += rows.length;
    return index === 0 || lines <= MOST_LINES;
  });
}

interface ReviewLineProps {
  readonly path: string;
  readonly colours: HighlightedLine | undefined;
  readonly row: DiffRow;
  readonly review: Review;
  readonly isWriting: boolean;
  readonly onWrite: (isWriting: boolean) => void;
}

function ReviewLine({ path, row, colours, review, isWriting, onWrite }: ReviewLineProps) {
  const isRemoved = row.kind === "remove";
  const line = (isRemoved ? row.oldLine : row.newLine) ?? 0;
  const place = { path, line, isRemoved, code: row.text };
  const comment = review.comments.get(commentKey(place));
  return (
    <>
      <div className="group/line relative">
        <DiffLine line={colours} row={row} />
        <button
          aria-label={`Comment on line ${line} of ${path}`}
          className="absolute top-0 right-1 flex size-5 items-center justify-center rounded bg-accent text-on-accent opacity-0 focus-visible:opacity-100 group-hover/line:opacity-100 max-md:hidden"
          onClick={() => onWrite(true)}
          type="button"
        >
          <MessageSquarePlus aria-hidden="true" size={12} />
        </button>
      </div>
      {isWriting || comment !== undefined ? (
        <CommentBox
          line={line}
          onChange={(text) => review.onComment({ ...place, text })}
          onClose={() => onWrite(false)}
          text={comment?.text ?? ""}
        />
      ) : null}
    </>
  );
}

interface CommentBoxProps {
  readonly line: number;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onClose: () => void;
}

function CommentBox({ line, text, onChange, onClose }: CommentBoxProps) {
  return (
    <div className="border-accent border-l-2 bg-panel p-2">
      <textarea
        aria-label={`Comment on line ${line}`}
        // biome-ignore lint/a11y/noAutofocus: it opens because the reader asked to write
        autoFocus={text === ""}
        className="w-full resize-y rounded-md border border-line bg-raised p-2 font-sans text-[16px] md:text-[13px]"
        onBlur={() => text.trim() === "" && onClose()}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
        placeholder="What the agent should do about this line"
        rows={2}
        value={text}
      />
    </div>
  );
}
