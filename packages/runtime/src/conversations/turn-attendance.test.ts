import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createTurnAttendance } from "./turn-attendance.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("goes on with a turn whose client came back, also when its agent gave a call up while nobody listened", () => {
  const abandoned: string[] = [];
  const attendance = createTurnAttendance({
    waitsForClient: () => false,
    onAbandoned: (why) => abandoned.push(why),
    graceMs: 5_000,
    goneMs: 60_000,
    now: Date.now,
  });
  attendance.enter();
  attendance.leave(Promise.resolve(undefined));
  attendance.noteUnanswered("given-up");
  attendance.enter();
  vi.advanceTimersByTime(60_000);
  expect(abandoned).toEqual([]);
  attendance.leave(Promise.resolve(undefined));
  vi.advanceTimersByTime(60_000);
  expect(abandoned).toEqual(["The client has left"]);
});
