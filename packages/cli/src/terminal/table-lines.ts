import type { Look } from "./look.ts";
import { displayWidth, padEnd, shortenEnd, shortenMiddle } from "./shorten.ts";
import { cleanLine } from "./text-cleaner.ts";

const GAP = "  ";
const MIN_WIDTH = 8;

export interface TableColumn {
  readonly title: string;
  readonly align?: "right";
  /** Where to cut text if space is short; a column without it keeps its width. */
  readonly cut?: "middle" | "end";
  /** Dropped if space is short. */
  readonly isMinor?: true;
}

export interface TableOptions extends Look {
  readonly columns: number;
  /** False: output for a program, with cells in full, separated by tabs. */
  readonly isTty: boolean;
}

/** Rows under titles, as narrow as possible; columns that can be cut share the remaining width. */
export function tableLines(
  head: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  { columns, isTty, style, glyphs }: TableOptions,
): readonly string[] {
  const cells = rows.map((row) => row.map(cleanLine));
  if (!isTty) return [head.map(({ title }) => title), ...cells].map((row) => row.join("\t"));
  const filled = head.filter((_, index) => cells.some((row) => row[index] !== ""));
  const of = (wanted: readonly TableColumn[]) =>
    cells.map((row) => row.filter((_, index) => wanted.includes(head[index] ?? { title: "" })));
  const isWide = widthOf(naturalWidths(filled, of(filled))) <= columns - 1;
  const used = isWide ? filled : filled.filter(({ isMinor }) => isMinor !== true);
  const kept = of(used);
  const widths = fitWidths(used, kept, columns - 1);
  const line = (row: readonly string[]): string =>
    used
      .map(({ align, cut }, index) => {
        const width = widths[index] ?? 0;
        const shorten = cut === "middle" ? shortenMiddle : shortenEnd;
        const text = shorten(row[index] ?? "", width, glyphs.ellipsis);
        return align === "right" ? " ".repeat(width - displayWidth(text)) + text : padEnd(text, width);
      })
      .join(GAP)
      .trimEnd();
  return [style.dim(line(used.map(({ title }) => title))), ...kept.map(line)];
}

function fitWidths(
  head: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  room: number,
): readonly number[] {
  const widths = [...naturalWidths(head, rows)];
  // The widest column that can be cut shrinks first.
  while (widthOf(widths) > room) {
    const cuttable = head.flatMap(({ cut }, index) =>
      cut !== undefined && (widths[index] ?? 0) > MIN_WIDTH ? [index] : [],
    );
    const widest = cuttable.toSorted((one, other) => (widths[other] ?? 0) - (widths[one] ?? 0))[0];
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function naturalWidths(head: readonly TableColumn[], rows: readonly (readonly string[])[]): readonly number[] {
  return head.map(({ title }, index) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[index] ?? ""))),
  );
}

function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}
