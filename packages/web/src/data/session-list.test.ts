import { type SessionStatus, type SessionView, sideCallTitle } from "@caret/protocol";
import { expect, it } from "vitest";
import type { PageState } from "./page-state.ts";
import {
  failedSessions,
  foldUpdates,
  sortSessions,
  takeFirstPage,
  takeNextPage,
  waitingSessions,
} from "./session-list.ts";

const session = (id: string, updatedAt: number, more: Partial<SessionView> = {}): SessionView => ({
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
  ...more,
});
const empty = { sessions: new Map<string, SessionView>(), listed: new Set<string>(), isListed: false, next: undefined };
const nobody: ReadonlySet<string> = new Set();
const shown = ({ sessions, listed }: Pick<PageState, "sessions" | "listed">) =>
  sortSessions(sessions, listed, ({ archived }) => !archived).map(({ id, title }) => `${id}:${title}`);

it("grows page by page, newest first", () => {
  const first = takeFirstPage(empty, { sessions: [session("c", 3), session("b", 2)], next: "2" }, nobody);
  const second = takeNextPage(first, { sessions: [session("a", 1)] });
  expect([first.next, second.next]).toEqual(["2", undefined]);
  expect(shown(second)).toEqual(["c:c", "b:b", "a:a"]);
});

it("follows the updates: changed sessions rise, deleted ones go, archived ones are not shown", () => {
  const list = takeFirstPage(empty, { sessions: [session("c", 3), session("b", 2), session("a", 1)] }, nobody);
  const later = foldUpdates(list, [
    { kind: "changed", session: session("a", 9, { title: "new" }) },
    { kind: "deleted", sessionId: "c" },
    { kind: "changed", session: session("d", 8) },
    { kind: "changed", session: session("b", 2, { archived: true }) },
  ]);
  expect(shown(later)).toEqual(["a:new", "d:d"]);
});

it("leaves those that are at work where they are, whichever of them was updated last", () => {
  const runs = (since: number): Pick<SessionView, "status"> => ({ status: { kind: "running", turnId: "t", since } });
  const list = takeFirstPage(empty, { sessions: [session("b", 2, runs(2)), session("a", 1, runs(1))] }, nobody);
  const later = foldUpdates(list, [{ kind: "changed", session: session("a", 9, runs(1)) }]);
  expect(shown(later)).toEqual(["b:b", "a:a"]);
});

it("prefers an update to a list that was requested before it", () => {
  const updated = foldUpdates(empty, [{ kind: "changed", session: session("a", 5, { title: "newer" }) }]);
  const list = takeFirstPage(
    updated,
    { sessions: [session("a", 5, { title: "older" }), session("b", 2)] },
    new Set(["a"]),
  );
  expect(shown(list)).toEqual(["a:newer", "b:b"]);
});

it("forgets what was deleted while the line was lost, and keeps older pages that were read", () => {
  const first = takeFirstPage(empty, { sessions: [session("d", 4), session("c", 3)], next: "3" }, nobody);
  const both = takeNextPage(first, { sessions: [session("b", 2)], next: "2" });
  const again = takeFirstPage(both, { sessions: [session("e", 5), session("c", 3)], next: "3" }, nobody);
  expect(shown(again)).toEqual(["e:e", "c:c", "b:b"]);
  expect(again.next).toBe("2");
});

it("puts the longest wait for a person first, and leaves out what waits for a program", () => {
  const waits = (since: number, waitsFor: "approval" | "client"): { readonly status: SessionStatus } => ({
    status: { kind: "waiting", turnId: "t", since, waitsFor, about: "" },
  });
  const all = [
    session("a", 1, waits(20, "approval")),
    session("b", 1, waits(10, "approval")),
    session("c", 1, waits(5, "client")),
    session("d", 1),
  ];
  expect(waitingSessions(new Map(all.map((view) => [view.id, view]))).map(({ id }) => id)).toEqual(["b", "a"]);
});

it("ux C3: knows the sessions that failed of late, the latest first, without side calls and what was put away", () => {
  const failed = (at: number): SessionStatus => ({ kind: "ended", turnId: "t", at, outcome: "failed" });
  const all = [
    session("old", 1, { status: failed(1) }),
    session("early", 20, { status: failed(20) }),
    session("late", 30, { status: failed(30) }),
    session("archived", 30, { status: failed(30), archived: true }),
    session("imported", 30, { status: failed(30), imported: true }),
    session("aside", 30, { status: failed(30), title: sideCallTitle("Name it") }),
    session("fine", 30, { status: { ...failed(30), outcome: "completed" } as SessionStatus }),
  ];
  const found = failedSessions(new Map(all.map((view) => [view.id, view])), 10);
  expect(found.map(({ id }) => id)).toEqual(["late", "early"]);
});
