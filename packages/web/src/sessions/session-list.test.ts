import type { SessionView } from "@caret/protocol";
import { expect, it } from "vitest";
import { groupByDay } from "./session-list.tsx";

const at = (day: number, hour: number, year = 2026) => new Date(year, 10, day, hour).getTime();
const session = (id: string, updatedAt: number): SessionView => ({
  id,
  title: id,
  workspace: "/w",
  permission: "auto",
  createdAt: 0,
  updatedAt,
  archived: false,
  lastSeq: 0,
  lastLine: "",
  status: { kind: "idle" },
});

it("calls days by the names that people have for them", () => {
  const times = [at(15, 9), at(15, 0), at(14, 23), at(12, 8), at(2, 8), at(2, 8, 2025)];
  const groups = groupByDay(
    times.map((time, index) => session(String(index), time)),
    at(15, 10),
  );
  expect(groups.map(({ day, sessions }) => [day.length > 0, sessions.map(({ id }) => id)])).toEqual([
    [true, ["0", "1"]],
    [true, ["2"]],
    [true, ["3"]],
    [true, ["4"]],
    [true, ["5"]],
  ]);
  expect(groups.slice(0, 2).map(({ day }) => day)).toEqual(["Today", "Yesterday"]);
  expect(groups[4]?.day).toMatch(/2025/);
});
