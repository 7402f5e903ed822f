import type { SessionStatus, SessionView } from "@caret/protocol";
import { expect, it } from "vitest";
import { noticesBetween } from "./notifications.ts";

const running: SessionStatus = { kind: "running", turnId: "t", since: 1 };
const waiting: SessionStatus = { kind: "waiting", turnId: "t", since: 2, waitsFor: "approval", about: "npm test" };
const ended: SessionStatus = { kind: "ended", turnId: "t", at: 3, outcome: "completed" };

const sessions = (status: SessionStatus): ReadonlyMap<string, SessionView> =>
  new Map([
    [
      "s",
      {
        id: "s",
        title: "Fix",
        workspace: "/w",
        permission: "auto",
        createdAt: 0,
        updatedAt: 0,
        archived: false,
        lastSeq: 1,
        lastLine: "All green",
        status,
      },
    ],
  ]);
const notified = (before: SessionStatus, after: SessionStatus) =>
  noticesBetween(sessions(before), sessions(after)).map(({ text }) => text);

it("notifies when a turn begins to wait for a person, and when it ends", () => {
  expect(notified(running, waiting)).toEqual(["Waiting for your approval: npm test"]);
  expect(notified(waiting, ended)).toEqual(["Done: All green"]);
  expect(notified(ended, { ...ended, turnId: "u", outcome: "failed" })).toEqual(["Failed: All green"]);
});

it("notifies once, and not of what needs no person", () => {
  expect(notified(waiting, { ...waiting })).toEqual([]);
  expect(notified(ended, { ...ended })).toEqual([]);
  expect(notified(running, { ...waiting, waitsFor: "client" })).toEqual([]);
  expect(notified(running, { ...ended, outcome: "cancelled" })).toEqual([]);
  expect(noticesBetween(new Map(), sessions(waiting))).toEqual([]);
});
