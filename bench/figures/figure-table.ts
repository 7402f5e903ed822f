import type { FigureRecord } from "./figure-record.ts";
import { rowTitles, toFigureRows } from "./figure-rows.ts";

/** Figures as a table for a terminal. */
export function toFigureTable(figures: readonly FigureRecord[]): string {
  const cells = [rowTitles, ...figures.flatMap(toFigureRows)];
  const widths = rowTitles.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const align = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  return cells.map((row) => row.map(align).join("  ").trimEnd()).join("\n");
}
