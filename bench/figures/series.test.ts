import { expect, test } from "vitest";
import { type Series, slopeOf, slopesOf, toSeriesRecord } from "./series.ts";

const series: Series = {
  id: "length",
  what: "first token by length",
  sizeName: "messages",
  sizes: [10, 20, 30],
  scale: "powers",
  unit: "ms",
  rounds: {
    caret: [
      [1, 2],
      [2, 4],
      [3, 6],
    ],
    rawpipe: [[5], [5], [5]],
  },
};

test("A slope is that of the line closest to the points", () => {
  expect(
    slopeOf([
      [0, 1],
      [1, 3],
      [2, 5],
    ]),
  ).toBe(2);
  expect(
    slopeOf([
      [0, 0],
      [1, 3],
      [2, 0],
    ]),
  ).toBe(0);
});

test("Each round has a slope, for so much of the size", () => {
  expect(slopesOf(series, 100)).toEqual({ caret: [10, 20], rawpipe: [0] });
});

test("A record of a series has the spread at each size instead of the rounds", () => {
  const { points, ...rest } = toSeriesRecord(series);
  expect(rest).toEqual({
    id: "length",
    what: series.what,
    sizeName: "messages",
    sizes: [10, 20, 30],
    scale: "powers",
    unit: "ms",
  });
  expect(points["caret"]?.[0]).toEqual({ median: 1.5, low: 1.25, high: 1.75 });
  expect(points["rawpipe"]?.map(({ median }) => median)).toEqual([5, 5, 5]);
});
