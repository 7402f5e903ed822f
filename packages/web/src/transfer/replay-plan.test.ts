import type { EventEnvelope } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import {
  changeSpeed,
  clockWord,
  eventsUntil,
  momentAt,
  planReplay,
  positionAt,
  seek,
  startReplay,
  togglePlay,
} from "./replay-plan.ts";

const at = (seq: number, turnId: string, time: number): EventEnvelope => ({
  sessionId: "s",
  seq,
  turnId,
  at: time,
  event: { type: "text-delta", blockId: "b", text: String(seq) },
});

describe("the plan of a replay", () => {
  it("keeps the original pace within a turn", () => {
    const plan = planReplay([at(1, "a", 1000), at(2, "a", 1250), at(3, "a", 3000)]);
    expect({ times: plan.times, isShortened: plan.isShortened }).toEqual({ times: [0, 250, 2000], isShortened: false });
  });

  it("shortens long silences and the time between turns, and says so", () => {
    const plan = planReplay([at(1, "a", 0), at(2, "a", 60_000), at(3, "b", 9_000_000), at(4, "b", 9_000_010)]);
    expect(plan).toMatchObject({
      times: [0, 5000, 6000, 6010],
      durationMs: 6010,
      isShortened: true,
      turnTimes: [0, 6000],
    });
  });

  it("never goes back in time when the clock did", () => {
    expect(planReplay([at(1, "a", 5000), at(2, "a", 4000), at(3, "a", 4500)]).times).toEqual([0, 0, 500]);
  });

  it("finds how many events have happened at any time", () => {
    const plan = planReplay([at(1, "a", 0), at(2, "a", 10), at(3, "a", 10), at(4, "a", 30)]);
    expect([-1, 0, 9, 10, 29, 30, 99].map((time) => eventsUntil(plan, time))).toEqual([0, 1, 1, 3, 3, 4, 4]);
    expect(eventsUntil(planReplay([]), 5)).toBe(0);
  });
});

it("knows what time it was at any moment of the replay", () => {
  const plan = planReplay([at(1, "a", 100_000), at(2, "a", 103_000), at(3, "b", 900_000)]);
  expect([0, 2500, 3900, 4000].map((time) => momentAt(plan, time, eventsUntil(plan, time)))).toEqual([
    100_000, 102_000, 103_000, 900_000,
  ]);
});

describe("the clock of a replay", () => {
  it("runs at its speed and stops at the end", () => {
    const clock = startReplay(10_000, 100);
    expect([positionAt(clock, 100), positionAt(clock, 1100), positionAt(clock, 99_999)]).toEqual([0, 1000, 10_000]);
    const faster = changeSpeed(clock, 16, 600);
    expect([positionAt(faster, 600), positionAt(faster, 700)]).toEqual([500, 2100]);
  });

  it("stands still while paused and goes on from there", () => {
    const paused = togglePlay(startReplay(10_000, 0), 3000);
    expect({ isPlaying: paused.isPlaying, position: positionAt(paused, 8000) }).toEqual({
      isPlaying: false,
      position: 3000,
    });
    expect(positionAt(togglePlay(paused, 8000), 9000)).toBe(4000);
  });

  it("begins again when play is pressed at the end", () => {
    const again = togglePlay(startReplay(1000, 0), 5000);
    expect({ isPlaying: again.isPlaying, position: positionAt(again, 5000) }).toEqual({ isPlaying: true, position: 0 });
  });

  it("can be put anywhere within its length", () => {
    const clock = togglePlay(startReplay(1000, 0), 10);
    expect([seek(clock, -5, 20), seek(clock, 400, 20), seek(clock, 9999, 20)].map(({ position }) => position)).toEqual([
      0, 400, 1000,
    ]);
  });

  it("is written like a clock", () => {
    expect([clockWord(0), clockWord(65_400), clockWord(3_723_000)]).toEqual(["0:00", "1:05", "1:02:03"]);
  });
});
