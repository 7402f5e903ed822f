import { expect, test } from "vitest";
import { median, quantile, spreadOf } from "./quantile.ts";

test("A quantile between two numbers lies between them in proportion", () => {
  expect(quantile([40, 10, 30, 20], 0.25)).toBe(17.5);
  expect(quantile([10, 20], 0.99)).toBeCloseTo(19.9);
});

test("A median of an even count is halfway between the middle two", () => {
  expect([median([4, 1, 3, 2]), median([3, 1, 2]), median([7])]).toEqual([2.5, 2, 7]);
});

test("A quantile of nothing is not a number", () => {
  expect(quantile([], 0.5)).toBeNaN();
});

test("A spread is a median with its quartiles, whatever the order of the numbers", () => {
  expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ median: 3, low: 2, high: 4 });
});
