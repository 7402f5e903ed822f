import { expect, it } from "vitest";
import { formatDuration } from "./duration.tsx";
import { formatTimeAgo } from "./time-ago.tsx";

it("says durations as short as they can be understood", () => {
  const minute = 60_000;
  const times = [
    -5,
    400,
    949,
    950,
    12_400,
    59_600,
    minute,
    185_000,
    60 * minute,
    130 * minute,
    1440 * minute,
    4320 * minute,
  ];
  expect(times.map(formatDuration)).toEqual([
    "0.0 s",
    "0.4 s",
    "0.9 s",
    "1 s",
    "12 s",
    "1 min",
    "1 min",
    "3 min 5 s",
    "1 h",
    "2 h 10 min",
    "1 day",
    "3 days",
  ]);
});

it("says what was today by its age and what was before by its day", () => {
  const now = new Date(2026, 10, 15, 12).getTime();
  const hour = 3_600_000;
  expect([now, now - 59_000, now - 5.5 * 60_000, now - 2.9 * hour].map((at) => formatTimeAgo(at, now))).toEqual([
    "now",
    "now",
    "5 min ago",
    "2 h ago",
  ]);
  expect(formatTimeAgo(now - 48 * hour, now)).toMatch(/13/);
  expect(formatTimeAgo(now - 9000 * hour, now)).toMatch(/2025/);
});
