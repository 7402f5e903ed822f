import { expect, test } from "vitest";
import { type Figure, isMet, ownFigure, summarise } from "./figure.ts";
import { toRecord } from "./figure-record.ts";
import { toFigureTable } from "./figure-table.ts";

const figure: Figure = {
  what: "first token",
  unit: "ms",
  rounds: { rawpipe: [2, 4, 10], caret: [4, 6, 10], other: [6, 12, 30] },
  floor: "rawpipe",
  bar: { of: "ratio", most: 1.5 },
};

test("A ratio is the median of each round's ratio, so that a slow round counts for both servers", () => {
  expect(summarise(figure)).toEqual([
    { name: "rawpipe", value: { median: 4, low: 3, high: 7 } },
    { name: "caret", value: { median: 6, low: 5, high: 8 }, ratio: { median: 1.5, low: 1.25, high: 1.75 } },
    { name: "other", value: { median: 12, low: 9, high: 21 }, ratio: { median: 3, low: 3, high: 3 } },
  ]);
});

test("A bar for the ratio is met at the bar and missed above it", () => {
  expect(isMet(figure)).toBe(true);
  expect(isMet({ ...figure, bar: { of: "ratio", most: 1.49 } })).toBe(false);
});

test("A bar for the value looks at Caret's own value", () => {
  expect(isMet({ ...figure, bar: { of: "value", most: 6 } })).toBe(true);
  expect(isMet({ ...figure, bar: { of: "value", most: 5.9 } })).toBe(false);
});

test("A bar is missed when Caret was not measured, or when the floor is nothing", () => {
  expect(isMet({ ...figure, rounds: { rawpipe: [1] } })).toBe(false);
  expect(isMet({ ...figure, rounds: { rawpipe: [0, 0], caret: [1, 2] } })).toBe(false);
  expect(isMet(ownFigure("load", "ms", Number.NaN, 10))).toBe(false);
});

test("A server that could not be measured has no value in the record", () => {
  const { servers } = toRecord({ ...figure, rounds: { rawpipe: [1], caret: [2], far: [Number.NaN] } });
  expect(JSON.parse(JSON.stringify(servers))).toEqual([
    { name: "rawpipe", value: { median: 1, low: 1, high: 1 } },
    { name: "caret", value: { median: 2, low: 2, high: 2 }, ratio: { median: 2, low: 2, high: 2 } },
    { name: "far", value: null },
  ]);
});

test("The table shows floor, value, ratio, spread, bar and verdict, and other servers below", () => {
  const errors = ownFigure("errors", "", 3, 0);
  expect(toFigureTable([figure, errors].map(toRecord)).split("\n")).toEqual([
    "                          floor         caret              ratio     bar",
    "first token  rawpipe 4 ms (3–7)    6 ms (5–8)  1.50× (1.25–1.75)  ≤ 1.5×     met",
    "  other                          12 ms (9–21)              3.00×",
    "errors                                      3                        ≤ 0  MISSED",
  ]);
});
