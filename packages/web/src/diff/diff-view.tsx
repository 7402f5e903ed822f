import "./diff.css";
import { type ReactNode, useRef, useState } from "react";
import { Virtualizer } from "virtua";
import type { HighlightedLine } from "../markdown/highlighter.ts";
import type { DiffRow, DiffRows } from "./diff-rows.ts";
import { toPieces } from "./highlighted-rows.ts";
import { useDiffColours } from "./use-diff-colours.ts";

/** More rows than this are drawn only where one looks. */
const MAX_DRAWN = 400;

interface DiffViewProps {
  readonly diff: DiffRows;
  /** The file, by whose name its language is known; absent: no colours. */
  readonly path?: string;
  /** What changed, for those who cannot see it: `Changes in src/a.ts`. */
  readonly label: string;
  /** How many rows are shown before "Show all". */
  readonly preview?: number;
  /** For a place that remembers: a list forgets what scrolls out of sight. */
  readonly isExpanded?: boolean;
  readonly onExpand?: () => void;
}

/** A change, line by line. */
export function DiffView({ diff, path, label, preview = MAX_DRAWN, isExpanded, onExpand }: DiffViewProps) {
  const [isOwnExpanded, setExpanded] = useState(false);
  const showsAll = isExpanded ?? isOwnExpanded;
  const { rows } = diff;
  const colours = useDiffColours(rows, path);
  if (rows.length === 0) return <p className="px-3 py-2 text-soft">No lines to show.</p>;
  // A button that would reveal a line or two is worth less than the lines.
  const isCut = !showsAll && rows.length > preview + 4;
  const expand = onExpand ?? (() => setExpanded(true));
  return (
    // Not a landmark: two approvals may be about the same file.
    <figure aria-label={label} className="diff-lines font-mono text-[12px] leading-5">
      {!isCut && rows.length > MAX_DRAWN ? (
        <LongDiff rows={rows} colours={colours} label={label} />
      ) : (
        (isCut ? rows.slice(0, preview) : rows).map((row, index) => renderRow(row, index, colours[index]))
      )}
      {isCut && (
        <button
          type="button"
          onClick={expand}
          className="block min-h-8 w-full cursor-pointer border-line border-t px-3 text-left font-sans text-[13px] text-soft hover:bg-panel hover:text-ink max-md:min-h-10"
        >
          Show all {rows.length.toLocaleString("en")} lines
        </button>
      )}
    </figure>
  );
}

interface LongDiffProps {
  readonly rows: readonly DiffRow[];
  readonly colours: readonly (HighlightedLine | undefined)[];
  readonly label: string;
}

function LongDiff({ rows, colours, label }: LongDiffProps) {
  const scroller = useRef<HTMLElement>(null);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard
    <section ref={scroller} className="max-h-[70vh] overflow-y-auto" tabIndex={0} aria-label={`${label}, all lines`}>
      <Virtualizer data={rows} scrollRef={scroller} itemSize={20}>
        {(row, index) => renderRow(row, index, colours[index])}
      </Virtualizer>
    </section>
  );
}

const looks = {
  hunk: { row: "border-line/60 border-y bg-panel text-faint first:border-t-0", sign: " ", mark: "" },
  context: { row: "", sign: " ", mark: "" },
  add: { row: "bg-good/10", sign: "+", mark: "bg-good/25 rounded-xs" },
  remove: { row: "bg-bad/10", sign: "-", mark: "bg-bad/20 rounded-xs" },
} as const;

function renderRow(row: DiffRow, index: number, line: HighlightedLine | undefined) {
  return <DiffLine key={index} line={line} row={row} />;
}

interface DiffLineProps {
  readonly row: DiffRow;
  /** Its colours, once they are known. */
  readonly line: HighlightedLine | undefined;
}

/** One line of a change. */
export function DiffLine({ row, line }: DiffLineProps) {
  const look = looks[row.kind];
  return (
    <div className={`flex ${look.row}`}>
      <LineNumber line={row.kind === "hunk" ? undefined : row.oldLine} isOld />
      <LineNumber line={row.kind === "hunk" ? undefined : row.newLine} />
      <span className="w-5 shrink-0 select-none text-center text-soft">{look.sign}</span>
      <span className="min-w-0 flex-1 whitespace-pre-wrap pr-3 [overflow-wrap:anywhere] [tab-size:4]">
        {row.kind === "hunk" ? hunkWords(row) : renderText(row, line, look.mark)}
      </span>
    </div>
  );
}

function LineNumber({ line, isOld = false }: { readonly line: number | undefined; readonly isOld?: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={`w-10 shrink-0 select-none pr-1.5 text-right text-faint ${isOld ? "max-sm:hidden" : ""}`}
    >
      {line}
    </span>
  );
}

function hunkWords({ newLine, text }: DiffRow): string {
  return text === "" ? `line ${newLine ?? "?"}` : `line ${newLine ?? "?"} · ${text}`;
}

function renderText(row: DiffRow, line: HighlightedLine | undefined, mark: string): ReactNode {
  if (row.text === "") return "\n";
  return toPieces(row, line).map(({ text, token, isMarked }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line keeps its pieces
    <span key={index} className={isMarked ? mark : undefined} data-token={token === "" ? undefined : token}>
      {text}
    </span>
  ));
}
