import { CARET, type Figure, isMet, type Summary, summarise } from "./figure.ts";
import type { Spread } from "./quantile.ts";

const columns = ["", "floor", "caret", "ratio", "bar", ""] as const;

/** Figures as a table for people. Servers beside Caret and the floor have rows of their own below each figure. */
export function toFigureTable(figures: readonly Figure[]): string {
  const cells = [columns, ...figures.flatMap(toRows)];
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const align = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  return cells.map((row) => row.map(align).join("  ").trimEnd()).join("\n");
}

function toRows(figure: Figure): readonly (readonly string[])[] {
  const all = summarise(figure);
  const floor = all.find(({ name }) => name === figure.floor);
  const caret = all.find(({ name }) => name === CARET);
  const others = all.filter((each) => each !== floor && each !== caret);
  const verdict = isMet(figure) ? "met" : "MISSED";
  return [
    [
      figure.what,
      floor === undefined ? "" : `${floor.name} ${toValueText(figure, floor.value)}`,
      caret === undefined ? "" : toValueText(figure, caret.value),
      toRatioText(caret),
      toBarText(figure),
      figure.bar === undefined ? "" : verdict,
    ],
    ...others.map((other) => [`  ${other.name}`, "", toValueText(figure, other.value), toRatioText(other), "", ""]),
  ];
}

export function toValueText({ unit }: Figure, { median, low, high }: Spread): string {
  const suffix = unit === "" ? "" : ` ${unit}`;
  const around = low === high ? "" : ` (${toShort(low)}–${toShort(high)})`;
  return `${toShort(median)}${suffix}${around}`;
}

export function toRatioText(summary: Summary | undefined): string {
  if (summary?.ratio === undefined) return "";
  const { median, low, high } = summary.ratio;
  return `${median.toFixed(2)}×${low === high ? "" : ` (${low.toFixed(2)}–${high.toFixed(2)})`}`;
}

export function toBarText({ unit, bar }: Figure): string {
  if (bar === undefined) return "";
  const suffix = unit === "" ? "" : ` ${unit}`;
  return `≤ ${bar.most}${bar.of === "ratio" ? "×" : suffix}`;
}

function toShort(value: number): string {
  if (value === 0) return "0";
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}
