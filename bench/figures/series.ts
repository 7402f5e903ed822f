import type { Figure } from "./figure.ts";
import { type Spread, spreadOf } from "./quantile.ts";

/** How something grows: by the server's name, for each size, one value per round. */
export interface Series {
  /** Its name in file names. */
  readonly id: string;
  readonly what: string;
  /** What the sizes count. */
  readonly sizeName: string;
  readonly sizes: readonly number[];
  /** How it is drawn: where each size is a multiple of the one before, in powers of ten. */
  readonly scale: "powers" | "even";
  readonly unit: Figure["unit"];
  readonly rounds: Readonly<Record<string, readonly (readonly number[])[]>>;
}

/** A series as programs read it. */
export interface SeriesRecord extends Omit<Series, "rounds"> {
  /** The median and spread at each size, by the server's name. */
  readonly points: Readonly<Record<string, readonly Spread[]>>;
}

export function toSeriesRecord({ rounds, ...series }: Series): SeriesRecord {
  const points = Object.entries(rounds).map(([name, sizes]) => [name, sizes.map(spreadOf)]);
  return { ...series, points: Object.fromEntries(points) };
}

/** By how much the value grows with each `per` of the size: one slope per round. */
export function slopesOf({ sizes, rounds }: Series, per: number): Figure["rounds"] {
  return Object.fromEntries(
    Object.entries(rounds).map(([name, values]) => {
      const count = Math.min(...values.map((each) => each.length));
      const slopes = Array.from({ length: count }, (_, round) => {
        const points = sizes.map((size, index) => [size, values[index]?.[round] ?? Number.NaN] as const);
        return slopeOf(points) * per;
      });
      return [name, slopes];
    }),
  );
}

/** The slope of the straight line with the least squared distance to the points. */
export function slopeOf(points: readonly (readonly [size: number, value: number])[]): number {
  const meanSize = mean(points.map(([size]) => size));
  const meanValue = mean(points.map(([, value]) => value));
  const shared = points.reduce((sum, [size, value]) => sum + (size - meanSize) * (value - meanValue), 0);
  const own = points.reduce((sum, [size]) => sum + (size - meanSize) ** 2, 0);
  return shared / own;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
