import { CARET } from "./figure.ts";
import type { FigureRecord, ServerRecord } from "./figure-record.ts";
import type { Spread } from "./quantile.ts";

export const rowTitles = ["", "floor", "caret", "ratio", "bar", ""] as const;

/** What people read of a figure, by `rowTitles`. Servers beside Caret and the floor have rows of their own below it. */
export function toFigureRows(figure: FigureRecord): readonly (readonly string[])[] {
  const { what, unit, servers } = figure;
  const floor = servers.find(({ name }) => name === figure.floor);
  const caret = servers.find(({ name }) => name === CARET);
  const others = servers.filter((each) => each !== floor && each !== caret);
  const verdict = figure.met ? "met" : "MISSED";
  return [
    [
      what,
      floor === undefined ? "" : `${floor.name} ${toValueText(unit, floor.value)}`,
      caret === undefined ? "" : toValueText(unit, caret.value),
      toRatioText(caret),
      toBarText(figure),
      figure.bar === undefined ? "" : verdict,
    ],
    ...others.map((other) => [`  ${other.name}`, "", toValueText(unit, other.value), toRatioText(other), "", ""]),
  ];
}

function toValueText(unit: string, value: Spread | null): string {
  if (value === null) return "not measured";
  const { median, low, high } = value;
  const around = low === high ? "" : ` (${toShort(low)}–${toShort(high)})`;
  return `${toShort(median)}${toSuffix(unit)}${around}`;
}

function toRatioText(server: ServerRecord | undefined): string {
  if (server?.ratio === undefined) return "";
  const { median, low, high } = server.ratio;
  return `${median.toFixed(2)}×${low === high ? "" : ` (${low.toFixed(2)}–${high.toFixed(2)})`}`;
}

function toBarText({ unit, bar }: FigureRecord): string {
  return bar === undefined ? "" : `≤ ${bar.most}${bar.of === "ratio" ? "×" : toSuffix(unit)}`;
}

function toSuffix(unit: string): string {
  return unit === "" ? "" : ` ${unit}`;
}

function toShort(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return value.toFixed(0);
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}
