import { describe, expect, it } from "vitest";
import type { EventEnvelope } from "../api/session-view.ts";
import type { AgentEvent } from "../events/agent-event.ts";
import { foldTranscript } from "./fold-transcript.ts";
import { emptyTranscript, type Transcript } from "./transcript.ts";

/** The log of a session whose turns say these things; event `n` comes at `n` seconds. */
function logOf(turns: Readonly<Record<string, readonly AgentEvent[]>>): readonly EventEnvelope[] {
  const all = Object.entries(turns).flatMap(([turnId, events]) => events.map((event) => ({ turnId, event })));
  return all.map(({ turnId, event }, index) => ({
    sessionId: "s",
    seq: index + 1,
    turnId,
    at: (index + 1) * 1000,
    event,
  }));
}

const fold = (events: readonly EventEnvelope[], into: Transcript = emptyTranscript) => foldTranscript(into, events);

const start = (turnId: string): AgentEvent => ({ type: "turn-start", turnId, lane: "sim", prompt: "Do it" });
const end: AgentEvent = { type: "turn-end", outcome: { kind: "completed" } };
const call = (callId: string): AgentEvent => ({
  type: "tool-call",
  callId,
  name: "shell",
  kind: "shell",
  input: { command: "ls" },
  owner: "agent",
  description: "List files",
  parentCallId: "above",
});
const says = (blockId: string, ...parts: readonly string[]): readonly AgentEvent[] => [
  { type: "text-start", blockId },
  ...parts.map((text): AgentEvent => ({ type: "text-delta", blockId, text })),
  { type: "text-end", blockId },
];
const question: AgentEvent = { type: "question", requestId: "q", questions: [] };
const questionAnswer: AgentEvent = { type: "question-answer", requestId: "q", outcome: "skipped" };
const approval: AgentEvent = { type: "approval-request", requestId: "q", subject: "shell", input: {} };
const approvalAnswer: AgentEvent = { type: "approval-answer", requestId: "q", decision: "approved", by: "person" };
const todo = (id: string, status: "pending" | "completed") => ({ id, content: `Do ${id}`, status });

const everything: readonly AgentEvent[] = [
  start("t1"),
  { type: "session-ready", sessionId: "up", model: "Composer" },
  { type: "session-ready", version: "2026.11" },
  { type: "thinking-start", blockId: "a" },
  { type: "thinking-delta", blockId: "a", text: "Hm" },
  { type: "thinking-delta", blockId: "a", text: "m" },
  { type: "thinking-end", blockId: "a", durationMs: 700 },
  { type: "text-start", blockId: "b" },
  { type: "text-delta", blockId: "b", text: "Hel" },
  call("c1"),
  { type: "text-delta", blockId: "b", text: "lo" },
  { type: "tool-output", callId: "c1", text: "one\n" },
  { type: "tool-output", callId: "c1", text: "two\n" },
  { type: "text-end", blockId: "b" },
  { type: "tool-result", callId: "c1", status: "ok", output: "one\ntwo\n", exitCode: 0 },
  { type: "todos", items: [todo("x", "pending"), todo("y", "pending")], merge: false },
  { type: "todos", items: [todo("x", "completed")], merge: true },
  { type: "plan", text: "# Plan" },
  question,
  approval,
  questionAnswer,
  approvalAnswer,
  { type: "notice", kind: "retry", message: "Again" },
  { type: "unknown", source: "cli", label: "odd", value: 1 },
  { type: "usage", usage: { input: 1 } },
  { type: "usage", usage: { input: 2, output: 3 } },
  end,
];

describe("foldTranscript", () => {
  it("makes one item of what belongs together, in the order in which it began", () => {
    expect(fold(logOf({ t1: everything }))).toEqual({
      lastSeq: 27,
      turns: [
        {
          turnId: "t1",
          firstSeq: 1,
          lastSeq: 27,
          startedAt: 1000,
          lastAt: 27_000,
          start: start("t1"),
          ready: { type: "session-ready", sessionId: "up", model: "Composer", version: "2026.11" },
          usage: { input: 2, output: 3 },
          outcome: { kind: "completed" },
          items: [
            { kind: "thinking", seq: 4, text: "Hmm", isOpen: false, startedAt: 4000, durationMs: 700 },
            { kind: "text", seq: 8, text: "Hello", isOpen: false },
            {
              kind: "tool",
              seq: 10,
              startedAt: 10_000,
              description: "List files",
              parentCallId: "above",
              tool: {
                callId: "c1",
                name: "shell",
                kind: "shell",
                input: { command: "ls" },
                owner: "agent",
                status: "ok",
                output: "one\ntwo\n",
                exitCode: 0,
              },
            },
            { kind: "todos", seq: 16, items: [todo("x", "pending"), todo("y", "pending")] },
            { kind: "todos", seq: 17, items: [todo("x", "completed"), todo("y", "pending")] },
            { kind: "plan", seq: 18, plan: { type: "plan", text: "# Plan" } },
            { kind: "question", seq: 19, at: 19_000, question, answer: questionAnswer, answeredAt: 21_000 },
            { kind: "approval", seq: 20, at: 20_000, request: approval, answer: approvalAnswer, answeredAt: 22_000 },
            { kind: "notice", seq: 23, notice: { kind: "retry", message: "Again" } },
            { kind: "unknown", seq: 24, label: "odd", value: 1 },
          ],
        },
      ],
    });
  });

  it("measures thinking by its events when the lane did not", () => {
    const log = logOf({
      t: [start("t"), { type: "thinking-start", blockId: "a" }, { type: "thinking-end", blockId: "a" }],
    });
    expect(fold(log).turns[0]?.items).toEqual([
      { kind: "thinking", seq: 2, text: "", isOpen: false, startedAt: 2000, durationMs: 1000 },
    ]);
  });

  it("says that a turn's start is missing when it begins in the middle of it", () => {
    const log = logOf({ t1: everything });
    const { turns } = fold(log.slice(8, 15));
    expect(turns).toEqual([
      {
        turnId: "t1",
        firstSeq: 9,
        lastSeq: 15,
        startedAt: 9000,
        lastAt: 15_000,
        items: [{ kind: "text", seq: 9, text: "Hello", isOpen: false, isTail: true }, fold(log).turns[0]?.items[2]],
      },
    ]);
  });

  it("leaves out what only settles something it has not seen", () => {
    expect(fold(logOf({ t1: everything }).slice(14, 15)).turns[0]?.items).toEqual([]);
    expect(fold(logOf({ t1: everything }).slice(20, 22)).turns[0]?.items).toEqual([]);
  });

  it("gives the same transcript from any beginning, whatever the two cuts and the overlap of the batches", () => {
    const log = logOf({ t1: everything, t2: [start("t2"), ...says("x", "a", "b"), call("c1"), end] });
    for (const from of log.keys()) {
      const whole = fold(log.slice(from));
      for (let first = from; first <= log.length; first++)
        for (let second = first; second <= log.length; second++) {
          const parts = [log.slice(from, first), log.slice(Math.max(from, first - 3), second), log.slice(second)];
          expect(parts.reduce((transcript, part) => fold(part, transcript), emptyTranscript)).toEqual(whole);
        }
    }
  });

  it("gives the same transcript event by event", () => {
    const log = logOf({ t1: everything, t2: [start("t2"), ...says("x", "a", "b"), end] });
    expect(log.reduce((transcript, envelope) => fold([envelope], transcript), emptyTranscript)).toEqual(fold(log));
  });

  it("keeps the identity of whatever a batch does not touch", () => {
    const log = logOf({ t1: everything, t2: [start("t2"), call("c1"), ...says("x", "a"), ...says("y", "b", "c")] });
    const before = fold(log.slice(0, -2));
    const after = fold(log.slice(-2), before);
    expect(after.turns[0]).toBe(before.turns[0]);
    expect(after.turns[1]).not.toBe(before.turns[1]);
    const [tool, first, second] = after.turns[1]?.items ?? [];
    expect([tool, first]).toEqual(before.turns[1]?.items.slice(0, 2));
    expect(tool).toBe(before.turns[1]?.items[0]);
    expect(first).toBe(before.turns[1]?.items[1]);
    expect(second).not.toBe(before.turns[1]?.items[2]);
    expect(fold(log, after)).toBe(after);
  });

  it("does not change what it was given", () => {
    const log = logOf({ t1: everything });
    const before = fold(log.slice(0, 12));
    const copy = structuredClone(before);
    fold(log, before);
    expect(before).toEqual(copy);
  });

  it("folds a log of 100,000 events in a time that grows with its length only", () => {
    const work = Array.from({ length: 20_000 }, (_, n): readonly AgentEvent[] => [
      call(`c${n}`),
      { type: "tool-output", callId: `c${n}`, text: "out" },
      { type: "text-delta", blockId: "b", text: "word " },
      { type: "tool-output", callId: "c0", text: "more" },
      { type: "tool-result", callId: `c${n}`, status: "ok", output: "out" },
    ]);
    const log = logOf({ t: [start("t"), { type: "text-start", blockId: "b" }, ...work.flat()] });
    const began = performance.now();
    const { turns } = fold(log);
    // Generous for a busy machine; copying a turn once for each event would take minutes.
    expect(performance.now() - began).toBeLessThan(3000);
    expect(turns[0]?.items.length).toBe(20_001);
  });
});

it("does not count the wait for a person as running: a call's clock begins when it was decided", () => {
  const asked: AgentEvent = { ...approval, callId: "c1" } as AgentEvent;
  const log = logOf({ t1: [start("t1"), call("c1"), asked, approvalAnswer] });
  const clock = (events: readonly EventEnvelope[]) =>
    fold(events).turns[0]?.items.flatMap((item) =>
      item.kind === "tool" ? [{ startedAt: item.startedAt, isAsked: item.isAsked }] : [],
    );
  expect([clock(log.slice(0, 3)), clock(log)]).toEqual([
    [{ startedAt: 2_000, isAsked: true }],
    [{ startedAt: 4_000, isAsked: undefined }],
  ]);
});
