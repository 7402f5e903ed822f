import type { SessionView } from "@caret/protocol";
import { expect, it } from "vitest";
import { groupByDay, groupByWorkspace } from "./session-groups.tsx";

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
  expect(groups.map(({ name, sessions }) => [name.length > 0, sessions.map(({ id }) => id)])).toEqual([
    [true, ["0", "1"]],
    [true, ["2"]],
    [true, ["3"]],
    [true, ["4"]],
    [true, ["5"]],
  ]);
  expect(groups.slice(0, 2).map(({ name }) => name)).toEqual(["Today", "Yesterday"]);
  expect(groups[4]?.name).toMatch(/2025/);
});

it("groups sessions by the directory they work in, that of the newest first", () => {
  const places = ["/home/me/caret", "/home/me/other", "/home/me/caret"];
  const sessions = places.map((workspace, index) => ({ ...session(String(index), at(15, 9 - index)), workspace }));
  expect(
    groupByWorkspace(sessions).map(({ name, title, sessions }) => [name, title, sessions.map(({ id }) => id)]),
  ).toEqual([
    ["…/me/caret", "/home/me/caret", ["0", "2"]],
    ["…/me/other", "/home/me/other", ["1"]],
  ]);
});
