import type { SessionView } from "@caret/protocol";
import { expect, it } from "vitest";
import { looksSame } from "./session-row.tsx";

const session: SessionView = {
  id: "a",
  title: "A",
  workspace: "/w",
  permission: "auto",
  createdAt: 0,
  updatedAt: 1_000,
  archived: false,
  lastSeq: 1,
  lastLine: "Hello",
  status: { kind: "running", turnId: "t", since: 500 },
};

it("takes no notice of a session that only goes on", () => {
  expect(looksSame(session, { ...session, updatedAt: 1_200, lastSeq: 9, status: { ...session.status } })).toBe(true);
});

it("notices words, a status, and time that has passed", () => {
  const others: readonly Partial<SessionView>[] = [
    { title: "B" },
    { lastLine: "Bye" },
    { status: { kind: "ended", turnId: "t", at: 900, outcome: "completed" } },
    { updatedAt: 20_000 },
  ];
  expect(others.map((other) => looksSame(session, { ...session, ...other }))).toEqual([false, false, false, false]);
});
