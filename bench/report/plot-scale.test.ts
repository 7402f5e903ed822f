import { expect, test } from "vitest";
import { linearScale, logScale } from "./plot-scale.ts";

test("An axis in powers of ten spans all values, each tenfold as wide as the next", () => {
  const { at, ticks } = logScale([20, 900], 100, 300);
  expect(ticks).toEqual([10, 100, 1000]);
  expect(ticks.map(at)).toEqual([100, 200, 300]);
});

test("An axis in powers of ten has a place of its own for nothing", () => {
  const { at, ticks } = logScale([0, 10, 1000], 0, 300);
  expect(ticks).toEqual([0, 10, 100, 1000]);
  expect(ticks.map(at).map(Math.round)).toEqual([0, 100, 200, 300]);
});

test("An even axis begins with zero and has round steps", () => {
  const { at, ticks } = linearScale([375, 420], 0, 500);
  expect(ticks).toEqual([0, 100, 200, 300, 400, 500]);
  expect(at(250)).toBe(250);
});
