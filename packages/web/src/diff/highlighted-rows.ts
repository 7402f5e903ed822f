import type { HighlightedLine } from "../markdown/highlighter.ts";
import type { DiffRow } from "./diff-rows.ts";

export type DiffSide = "old" | "new";

/** One side of a change as text, so that it can be read in its language. */
export function sideText(rows: readonly DiffRow[], side: DiffSide): string {
  return rows
    .filter((row) => isOn(row, side))
    .map(({ text }) => text)
    .join("\n");
}

/** The colours of each row, from those of its side; what is on both sides has the new one's. */
export function rowColours(
  rows: readonly DiffRow[],
  before: readonly HighlightedLine[] | undefined,
  after: readonly HighlightedLine[] | undefined,
): readonly (HighlightedLine | undefined)[] {
  let oldIndex = 0;
  let newIndex = 0;
  return rows.map((row) => {
    const line = row.kind === "remove" ? before?.[oldIndex] : after?.[newIndex];
    if (isOn(row, "old")) oldIndex += 1;
    if (isOn(row, "new")) newIndex += 1;
    return row.kind === "hunk" ? undefined : line;
  });
}

function isOn({ kind }: DiffRow, side: DiffSide): boolean {
  return kind === "context" || kind === (side === "old" ? "remove" : "add");
}

/** A stretch of a line that looks the same from its first to its last letter. */
export interface Piece {
  readonly text: string;
  readonly token: string;
  readonly isMarked: boolean;
}

/**
 * A line cut where its colour changes and where the part that changed begins and ends. Colours of another text than the line's own
 * are not used: what a person decides about is shown whole.
 */
export function toPieces({ text, emphasis }: DiffRow, line: HighlightedLine | undefined): readonly Piece[] {
  const [from, to] = emphasis ?? [0, 0];
  const isOwn = line?.map(([part]) => part).join("") === text;
  const tokens = isOwn && line !== undefined ? line : [[text, ""] as const];
  let column = 0;
  return tokens.flatMap(([part, token]) => {
    const start = column;
    column += part.length;
    const cuts = [start, clamp(from, start, column), clamp(to, start, column), column];
    return cuts.slice(1).flatMap((end, index): readonly Piece[] => {
      const begin = cuts[index] ?? start;
      return begin === end ? [] : [{ text: text.slice(begin, end), token, isMarked: index === 1 }];
    });
  });
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
