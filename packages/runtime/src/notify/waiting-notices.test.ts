import type { SessionStatus, SessionView } from "@caret/protocol";
import { expect, it } from "vitest";
import { createWaitingNotices } from "./waiting-notices.ts";

const session: SessionView = {
  id: "s",
  title: "Fix",
  workspace: "/w",
  permission: "auto",
  createdAt: 0,
  updatedAt: 0,
  archived: false,
  lastSeq: 1,
  lastLine: "rm -rf build",
  status: { kind: "idle" },
};
const waiting = (since: number, waitsFor: "approval" | "client" = "approval"): SessionStatus => ({
  kind: "waiting",
  turnId: "t",
  since,
  waitsFor,
  about: "rm -rf build",
});

function noticesOf(...views: readonly Partial<SessionView>[]) {
  const note = createWaitingNotices();
  return views.map((view) => note({ kind: "changed", session: { ...session, ...view } }));
}

const approval = { sessionId: "s", title: "Fix", kind: "approval", since: 2 };

it("gives a notice once for each wait, without what it is about", () => {
  expect(noticesOf({ status: waiting(2) }, { status: waiting(2) }, { status: waiting(3) })).toEqual([
    [approval],
    [],
    [{ ...approval, since: 3 }],
  ]);
});

it("gives none for a client's tools, and one for a message of an agent", () => {
  expect(noticesOf({ status: waiting(2, "client") }, { asksSince: 5 }, { asksSince: 5 }, {})).toEqual([
    [],
    [{ ...approval, kind: "message", since: 5 }],
    [],
    [],
  ]);
});
