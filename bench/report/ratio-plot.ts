import { CARET } from "../figures/figure.ts";
import type { FigureRecord } from "../figures/figure-record.ts";
import type { Spread } from "../figures/quantile.ts";
import { logScale, toTickText } from "./plot-scale.ts";
import { colours, svgDrawing, svgLine, svgRect, svgText } from "./svg.ts";

const WIDTH = 860;
const LEFT = 330;
const RIGHT = 70;
const TOP = 50;
const ROW = 26;

interface RatioRow {
  readonly what: string;
  readonly ratio: Spread;
  readonly most: number | undefined;
}

/** Caret's ratios to the floor as bars, each with its quartiles and with the mark it must stay below. */
export function ratioPlot(figures: readonly FigureRecord[]): string {
  const rows = figures.flatMap(toRow);
  const values = rows.flatMap(({ ratio, most = 1 }) => [ratio.low, ratio.high, ratio.median, most, 1]);
  const scale = logScale(values, LEFT, WIDTH - RIGHT);
  const bottom = TOP + rows.length * ROW;
  const grid = scale.ticks.flatMap((tick) => [
    svgLine(scale.at(tick), TOP - 8, scale.at(tick), bottom, colours.grid),
    svgText(scale.at(tick), TOP - 14, `${toTickText(tick)}×`, { size: 11, anchor: "middle" }),
  ]);
  const parity = svgLine(scale.at(1), TOP - 8, scale.at(1), bottom, colours.floor, 1.5);
  const title = "Caret against the floor: ratios, their quartiles (lines), and the bars they must stay below (red)";
  const drawn = rows.flatMap((row, index) => drawRow(row, TOP + index * ROW, scale.at));
  return svgDrawing(title, WIDTH, bottom + 14, [svgText(14, 20, title, { size: 13 }), ...grid, parity, ...drawn]);
}

function toRow({ what, bar, servers }: FigureRecord): readonly RatioRow[] {
  const ratio = servers.find(({ name }) => name === CARET)?.ratio;
  return ratio === undefined ? [] : [{ what, ratio, most: bar?.of === "ratio" ? bar.most : undefined }];
}

function drawRow({ what, ratio, most }: RatioRow, y: number, at: (value: number) => number): readonly string[] {
  const middle = y + ROW / 2;
  const [left, right] = [Math.min(at(1), at(ratio.median)), Math.max(at(1), at(ratio.median))];
  return [
    svgText(LEFT - 10, middle + 4, what, { anchor: "end" }),
    svgRect(left, y + 6, Math.max(1, right - left), ROW - 12, colours.caret),
    svgLine(at(ratio.low), middle, at(ratio.high), middle, colours.ink, 1.5),
    ...(most === undefined ? [] : [svgLine(at(most), y + 3, at(most), y + ROW - 3, colours.bar, 2)]),
    svgText(WIDTH - RIGHT + 8, middle + 4, `${ratio.median.toFixed(2)}×`),
  ];
}
