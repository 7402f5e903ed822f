import type { SeriesRecord } from "../figures/series.ts";
import { linearScale, logScale, toTickText } from "./plot-scale.ts";
import { colourOf, colours, svgDrawing, svgLine, svgPath, svgText } from "./svg.ts";

const WIDTH = 620;
const HEIGHT = 340;
const LEFT = 70;
const RIGHT = 130;
const TOP = 50;
const BOTTOM = 50;

/** How a value grows, one line per server, with its quartiles. */
export function seriesPlot({ what, sizeName, sizes, scale, unit, points }: SeriesRecord): string {
  const toScale = scale === "even" ? linearScale : logScale;
  const x = toScale(sizes, LEFT, WIDTH - RIGHT);
  const all = Object.values(points).flat();
  const y = toScale(
    all.flatMap(({ low, high, median }) => [low, high, median]),
    HEIGHT - BOTTOM,
    TOP,
  );
  const grid = [
    ...y.ticks.flatMap((tick) => [
      svgLine(LEFT, y.at(tick), WIDTH - RIGHT, y.at(tick), colours.grid),
      svgText(LEFT - 8, y.at(tick) + 4, toTickText(tick), { size: 11, anchor: "end" }),
    ]),
    ...x.ticks.map((tick) =>
      svgText(x.at(tick), HEIGHT - BOTTOM + 18, toTickText(tick), { size: 11, anchor: "middle" }),
    ),
  ];
  const lines = Object.entries(points).flatMap(([name, spreads], index) => {
    const colour = colourOf(name, index);
    const place = spreads.map(({ median }, at) => [x.at(sizes[at] ?? 0), y.at(median)] as const);
    const [endX, endY] = place.at(-1) ?? [LEFT, TOP];
    return [
      ...spreads.map(({ low, high }, at) =>
        svgLine(x.at(sizes[at] ?? 0), y.at(low), x.at(sizes[at] ?? 0), y.at(high), colour),
      ),
      svgPath(place, colour),
      svgText(endX + 10, endY + (name === "caret" ? -4 : 12), name, { fill: colour }),
    ];
  });
  return svgDrawing(what, WIDTH, HEIGHT, [
    svgText(14, 22, `${what}, ${unit}`, { size: 13 }),
    ...grid,
    ...lines,
    svgText((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, sizeName, { anchor: "middle" }),
  ]);
}
