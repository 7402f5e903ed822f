import type { AgentEventOf, SessionStatus, SessionView } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { noticesBetween, pressedNotice } from "./notifications.ts";

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
  expect(notified(ended, { ...waiting, waitsFor: "machine", about: "laptop" })).toEqual([]);
  expect(notified(running, { ...ended, outcome: "cancelled" })).toEqual([]);
  expect(noticesBetween(new Map(), sessions(waiting))).toEqual([]);
});

describe("an approval in a notification", () => {
  const approval: AgentEventOf<"approval-request"> = {
    type: "approval-request",
    requestId: "r",
    subject: "shell",
    input: { command: "npm test" },
  };
  const asked = (about: string, differing: Partial<typeof approval> = {}) =>
    noticesBetween(
      sessions(running),
      sessions({
        kind: "waiting",
        turnId: "t",
        since: 2,
        waitsFor: "approval",
        about,
        approval: { ...approval, ...differing },
      }),
    ).map(({ ask }) => ask?.requestId);

  it("can be decided where all of it is shown", () => {
    expect(asked("Run npm test")).toEqual(["r"]);
  });

  it.each<[string, string, Partial<typeof approval>]>([
    ["is cut", "Run npm t…", {}],
    ["has an argument that is not shown", "Run npm test", { input: { command: "npm test", cwd: "/etc" } }],
    ["is dangerous", "Run npm test", { danger: "It deletes files." }],
    ["is long", `Run ${"x".repeat(120)}`, { input: { command: "x".repeat(120) } }],
    ["is run elsewhere", "Run sh ./lib", { input: { command: "sh ./lib", cwd: "lib" } }],
    ["hides its order", "Run node \u202esj.tset", { input: { command: "node \u202esj.tset" } }],
    ["has a second line", "Run ls # a\nnode b.js", { input: { command: "ls # a\nnode b.js" } }],
    ["has markup", "Run ls <b>x</b>", { input: { command: "ls <b>x</b>" } }],
    ["has letters of another script", "Run npm t\u0435st", { input: { command: "npm t\u0435st" } }],
    ["has spaces that run together", "Run rm a  b", { input: { command: "rm a  b" } }],
    ["ends with a space", "Run rm a\\ ", { input: { command: "rm a\\ " } }],
    ["is given as two commands", "Run ls", { input: { command: "ls", cmd: "rm" } }],
    ["is one of a server", "Run ls", { server: "s", input: { command: "ls" } }],
    ["is an argument of another tool", "Run ls", { subject: "other", input: { path: "ls" } }],
    ["has no arguments", "Run", { input: {} }],
  ])("cannot be decided there when it %s", (_name, about, differing) => {
    expect(asked(about, differing)).toEqual([undefined]);
  });
});

describe("a question in a notification", () => {
  const option = (label: string) => ({ id: label.toLowerCase(), label });
  const asked = (labels: readonly string[], allowMultiple = false) =>
    noticesBetween(
      sessions(running),
      sessions({
        kind: "waiting",
        turnId: "t",
        since: 2,
        waitsFor: "question",
        about: "Colour",
        question: {
          type: "question",
          requestId: "r",
          title: "Colour",
          questions: [{ id: "q", prompt: "Which one?", options: labels.map(option), allowMultiple }],
        },
      }),
    ).map(({ text, ask, question }) => [text, ask?.buttons, question]);

  it("has a button for each of two answers; with more it only leads to the question", () => {
    const text = "Waiting for your answer: Which one?";
    const buttons = [
      { action: '["q","red"]', title: "Red" },
      { action: '["q","blue"]', title: "Blue" },
    ];
    expect([asked(["Red", "Blue"]), asked(["Red", "Blue", "Green"]), asked(["Red", "Blue"], true)]).toEqual([
      [[text, buttons, "r"]],
      [[text, undefined, "r"]],
      [[text, undefined, "r"]],
    ]);
  });
});

it("takes only what its own service worker sends, and no yes in the moment after the notification was shown", () => {
  const of = { sessionId: "s", requestId: "r" };
  const now = 1_000;
  const answer = { questionId: "q", optionIds: ["red"] };
  expect([
    pressedNotice({ kind: "approval", ...of, action: "approved", shownAt: 500 }, now),
    pressedNotice({ kind: "approval", ...of, action: "approved", shownAt: 501 }, now),
    pressedNotice({ kind: "approval", ...of, action: "rejected", shownAt: 501 }, now),
    pressedNotice({ kind: "approval", ...of, action: "always" }, now),
    pressedNotice({ kind: "question", ...of, action: '["q","red"]' }, now),
    pressedNotice({ kind: "question", ...of, action: "red" }, now),
    pressedNotice({ kind: "open", sessionId: "s", question: "r" }, now),
    pressedNotice("approve", now),
  ]).toEqual([
    { kind: "approval", ...of, decision: "approved" },
    { kind: "open", sessionId: "s" },
    { kind: "approval", ...of, decision: "rejected" },
    undefined,
    { kind: "question", ...of, answer },
    undefined,
    { kind: "open", sessionId: "s", question: "r" },
    undefined,
  ]);
});
