import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { FirstRest } from "./first-rest.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("comes when nothing was asked for a while, and only once", () => {
  const rests: number[] = [];
  const began = Date.now();
  const rest = new FirstRest(() => rests.push(Date.now() - began), 100);
  vi.advanceTimersByTime(60);
  rest.putOff();
  vi.advanceTimersByTime(60);
  rest.putOff();
  vi.advanceTimersByTime(500);
  rest.putOff();
  vi.advanceTimersByTime(500);
  expect(rests).toEqual([220]);
});
