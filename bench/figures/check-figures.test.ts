import { describe, expect, it } from "vitest";
import { findRegressions, toRegressionText } from "./check-figures.ts";
import type { FigureRecord } from "./figure-record.ts";
import type { Spread } from "./quantile.ts";

const figure = (what: string, ratio?: Spread): FigureRecord => ({
  what,
  unit: "ms",
  floor: "rawpipe",
  met: true,
  servers: [{ name: "caret", value: { median: 1, low: 1, high: 1 }, ...(ratio === undefined ? {} : { ratio }) }],
});
const before = { median: 1, low: 0.9, high: 1.1 };

describe("A check against the committed figures", () => {
  it("fails a ratio that is over a fifth worse in rounds that lie above all the usual ones", () => {
    const now = { median: 1.25, low: 1.15, high: 1.4 };
    const found = findRegressions([figure("flood", now)], [figure("flood", before)]);
    expect(found).toEqual([{ what: "flood", before, now }]);
    expect(found.map(toRegressionText)).toEqual(["worse: flood: 1.25× (1.15–1.40), committed 1.00× (0.90–1.10)"]);
  });

  it("passes a ratio that is worse by a fifth at most", () => {
    const now = { median: 1.2, low: 1.19, high: 1.21 };
    expect(findRegressions([figure("flood", now)], [figure("flood", before)])).toEqual([]);
  });

  it("passes a ratio whose rounds are spread so far that they overlap with the committed ones", () => {
    const now = { median: 1.8, low: 1.05, high: 3 };
    expect(findRegressions([figure("flood", now)], [figure("flood", before)])).toEqual([]);
  });

  it("compares by name, and neither what is new nor what has no ratio", () => {
    const now = { median: 9, low: 9, high: 9 };
    expect(
      findRegressions([figure("new", now), figure("errors")], [figure("flood", before), figure("errors")]),
    ).toEqual([]);
  });
});
