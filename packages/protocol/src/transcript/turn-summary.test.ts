import { describe, expect, it } from "vitest";
import type { AgentEvent, Todo } from "../events/agent-event.ts";
import type { ToolActivity } from "./transcript.ts";
import { TurnFold } from "./turn-fold.ts";
import { answerParts, summariseEvents, summaryOf, unknownCount } from "./turn-summary.ts";

const calls = (callId: string, more: object = {}): AgentEvent => ({
  type: "tool-call",
  callId,
  name: "shell",
  kind: "shell",
  input: { command: "ls" },
  owner: "agent",
  ...more,
});
const running = (callId: string): ToolActivity => ({
  callId,
  name: "shell",
  kind: "shell",
  input: { command: "ls" },
  owner: "agent",
  status: "running",
  output: "",
});
const prints = (callId: string, text: string): AgentEvent => ({ type: "tool-output", callId, text });
const emptyTurn = summariseEvents([]);
const unknownThing = (label: string): AgentEvent => ({ type: "unknown", source: "stream-json", label, value: 1 });
const todo = (id: string, status: Todo["status"] = "pending"): Todo => ({ id, content: `Do ${id}`, status });

describe("the summary of a turn, read off its fold", () => {
  it("sums a whole turn up", () => {
    const events: readonly AgentEvent[] = [
      { type: "turn-start", turnId: "t1", lane: "cli", model: "auto", workspace: "/demo", prompt: "List it" },
      { type: "session-ready", sessionId: "u1", model: "Auto", version: "1" },
      { type: "thinking-start", blockId: "thinking-1" },
      { type: "thinking-delta", blockId: "thinking-1", text: "Let me " },
      { type: "thinking-delta", blockId: "thinking-1", text: "see." },
      { type: "thinking-end", blockId: "thinking-1", durationMs: 4 },
      { type: "text-start", blockId: "text-2" },
      { type: "text-delta", blockId: "text-2", text: "I " },
      calls("c1"),
      { type: "text-delta", blockId: "text-2", text: "look." },
      { type: "text-end", blockId: "text-2" },
      prints("c1", "a\n"),
      { type: "tool-result", callId: "c1", status: "ok", output: "a\nb\n", exitCode: 0, durationMs: 9 },
      { type: "text-start", blockId: "text-3" },
      { type: "text-delta", blockId: "text-3", text: "Two files." },
      { type: "text-end", blockId: "text-3" },
      { type: "notice", kind: "retry", message: "Once more", detail: { attempt: 1 } },
      { type: "usage", usage: { input: 3, output: 4 } },
      { type: "turn-end", outcome: { kind: "completed" } },
    ];
    expect(summariseEvents(events)).toEqual({
      turnId: "t1",
      lane: "cli",
      sessionId: "u1",
      model: "Auto",
      segments: ["I look.", "Two files."],
      thinking: ["Let me see."],
      tools: [{ ...running("c1"), status: "ok", output: "a\nb\n", exitCode: 0, durationMs: 9 }],
      todos: [],
      plan: undefined,
      usage: { input: 3, output: 4 },
      notices: [{ kind: "retry", message: "Once more", detail: { attempt: 1 } }],
      unknown: {},
      outcome: { kind: "completed" },
    });
  });

  it("keeps the model that was asked for until upstream names its own", () => {
    const start: AgentEvent = { type: "turn-start", turnId: "t1", lane: "cli", model: "auto" };
    const ready: AgentEvent = { type: "session-ready", sessionId: "u1" };
    expect(summariseEvents([start, ready])).toEqual({ ...summariseEvents([start]), sessionId: "u1" });
  });

  it("keeps a session id that a later word of upstream does not repeat", () => {
    const ready: AgentEvent = { type: "session-ready", sessionId: "u1" };
    const later: AgentEvent = { type: "session-ready", model: "Auto" };
    expect(summariseEvents([ready, later])).toEqual({ ...emptyTurn, sessionId: "u1", model: "Auto" });
  });

  it("shows a tool's live output until its result replaces it", () => {
    const live = [calls("c1"), prints("c1", "one\n"), prints("c1", "two\n")];
    expect(summariseEvents(live).tools).toEqual([{ ...running("c1"), output: "one\ntwo\n" }]);
    const result: AgentEvent = { type: "tool-result", callId: "c1", status: "error", output: "gone", exitCode: 1 };
    expect(summariseEvents([...live, result]).tools).toEqual([
      { ...running("c1"), status: "error", output: "gone", exitCode: 1 },
    ]);
  });

  it("settles the right one of two calls that overlap", () => {
    const turn = summariseEvents([
      calls("c1"),
      calls("c2"),
      prints("c2", "two"),
      { type: "tool-result", callId: "c1", status: "ok", output: "one" },
    ]);
    expect(turn.tools).toEqual([
      { ...running("c1"), status: "ok", output: "one" },
      { ...running("c2"), output: "two" },
    ]);
  });

  it("has the MCP server of a tool, and what an edit changed", () => {
    const diff = { path: "a.txt", before: "a", after: "b" };
    const turn = summariseEvents([
      calls("c1", { name: "search", kind: "mcp", server: "library" }),
      { type: "tool-result", callId: "c1", status: "ok", output: "", diff },
    ]);
    expect(turn.tools).toEqual([
      { ...running("c1"), name: "search", kind: "mcp", server: "library", status: "ok", diff },
    ]);
  });

  it("ignores output and results of a call it never saw", () => {
    const turn = summariseEvents([
      prints("ghost", "boo"),
      { type: "tool-result", callId: "ghost", status: "ok", output: "boo" },
    ]);
    expect(turn).toEqual(emptyTurn);
  });

  it("replaces the list of todos, unless the event says to merge", () => {
    const changes: readonly AgentEvent[] = [
      { type: "todos", items: [todo("1"), todo("2")], merge: false },
      { type: "todos", items: [todo("2", "completed"), todo("3")], merge: true },
      { type: "todos", items: [todo("9")], merge: false },
    ];
    const lists = changes.map((_, index) => summariseEvents(changes.slice(0, index + 1)).todos);
    expect({ first: lists[0], merged: lists[1], replaced: lists[2] }).toEqual({
      first: [todo("1"), todo("2")],
      merged: [todo("1"), todo("2", "completed"), todo("3")],
      replaced: [todo("9")],
    });
  });

  it("keeps the latest plan and the latest usage", () => {
    const turn = summariseEvents([
      { type: "plan", text: "first" },
      { type: "usage", usage: { input: 1 } },
      { type: "plan", text: "second", name: "Better" },
      { type: "usage", usage: { input: 2, output: 1 } },
    ]);
    expect(turn).toEqual({ ...emptyTurn, plan: "second", usage: { input: 2, output: 1 } });
  });

  it("answers with text blocks and plans, in the order in which they were shown", () => {
    const says = (blockId: string, text: string): readonly AgentEvent[] => [
      { type: "text-start", blockId },
      { type: "text-delta", blockId, text },
      { type: "text-end", blockId },
    ];
    const plan = (text: string): AgentEvent => ({ type: "plan", text });
    const fold = new TurnFold();
    for (const event of [plan("P"), ...says("a", "A"), plan("Q"), plan("R"), ...says("b", "B")]) fold.add(event);
    expect(answerParts(fold.turn)).toEqual(["P", "A", "Q", "R", "B"]);
  });

  it("keeps why a turn failed", () => {
    const error = { code: "stalled", message: "Nothing came", retryable: true, fix: "Try again." } as const;
    const turn = summariseEvents([{ type: "turn-end", outcome: { kind: "failed", error } }]);
    expect(turn).toEqual({ ...emptyTurn, outcome: { kind: "failed", error } });
  });

  it.each<AgentEvent>([
    { type: "text-end", blockId: "b" },
    { type: "thinking-end", blockId: "b" },
    { type: "question", requestId: "q", questions: [] },
    { type: "question-answer", requestId: "q", outcome: "skipped" },
    { type: "approval-request", requestId: "q", subject: "webFetch", input: {} },
    { type: "approval-answer", requestId: "q", decision: "approved", by: "person" },
  ])("is not changed by $type", (event) => {
    expect(summariseEvents([event])).toEqual(emptyTurn);
  });

  it("goes on where another fold stopped, and leaves that one as it was", () => {
    const fold = new TurnFold();
    fold.add({ type: "text-start", blockId: "a" });
    const half = fold.turn;
    const other = new TurnFold(half);
    other.add({ type: "text-delta", blockId: "a", text: "hi" });
    fold.add({ type: "text-delta", blockId: "a", text: "ho" });
    const texts = [half, other.turn, fold.turn].map((turn) => summaryOf(turn).segments);
    expect(texts).toEqual([[""], ["hi"], ["ho"]]);
  });
});

describe("what nobody understood", () => {
  it("is counted by its label, even when the label is a name every object has", () => {
    const labels = ["constructor", "__proto__", "__proto__", "toString"];
    const turn = summariseEvents(labels.map(unknownThing));
    expect(Object.entries(turn.unknown)).toEqual([
      ["constructor", 1],
      ["__proto__", 2],
      ["toString", 1],
    ]);
    expect(unknownCount(turn)).toBe(4);
  });

  it("is listed under 16 labels; the rest is counted together, so that noise cannot fill the summary", () => {
    const labels = Array.from({ length: 40 }, (_, index) => `label-${index}`);
    const turn = summariseEvents([...labels, "label-3"].map(unknownThing));
    expect(Object.keys(turn.unknown)).toEqual([...labels.slice(0, 16), "other"]);
    expect([turn.unknown["label-3"], turn.unknown["other"], unknownCount(turn)]).toEqual([2, 24, 41]);
  });
});
