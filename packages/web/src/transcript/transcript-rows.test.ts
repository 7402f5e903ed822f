import { type AgentEvent, emptyTranscript, foldTranscript, type Transcript } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { exploredWords } from "./fold-explored.ts";
import {
  answerOf,
  type ExploredRow,
  isSameExplored,
  isSameRow,
  type TranscriptRow,
  toRows,
} from "./transcript-rows.ts";

function transcriptOf(events: readonly AgentEvent[], before: Transcript = emptyTranscript): Transcript {
  const first = before.lastSeq + 1;
  return foldTranscript(
    before,
    events.map((event, index) => ({ sessionId: "s", seq: first + index, turnId: "t", at: first + index, event })),
  );
}

const start: AgentEvent = { type: "turn-start", turnId: "t", lane: "sim", prompt: "Go" };
const end: AgentEvent = { type: "turn-end", outcome: { kind: "completed" } };

function says(blockId: string, text: string): readonly AgentEvent[] {
  return [
    { type: "text-start", blockId },
    { type: "text-delta", blockId, text },
    { type: "text-end", blockId },
  ];
}

function calls(
  callId: string,
  kind: "task" | "todo" | "question" | "shell" | "plan",
  parentCallId?: string,
): AgentEvent {
  const call = { type: "tool-call" as const, callId, name: kind, kind, input: {}, owner: "agent" as const };
  return parentCallId === undefined ? call : { ...call, parentCallId };
}

function result(callId: string): AgentEvent {
  return { type: "tool-result", callId, status: "ok", output: "" };
}

/** A row in a word: what it shows, with the number of its steps. */
function words(rows: readonly TranscriptRow[]): readonly string[] {
  return rows.map((row) => {
    if (row.kind === "explored") return `explored ${exploredWords(row.items.map(({ tool }) => tool))}`;
    if (row.kind !== "item") return row.kind;
    const name = row.item.kind === "tool" ? row.item.tool.name : row.item.kind;
    return `${row.isOutdated ? "old " : ""}${name}${row.steps.length === 0 ? "" : ` +${row.steps.length}`}`;
  });
}

describe("toRows", () => {
  it("shows a turn as its prompt, its items and its end, and no end before it has ended", () => {
    const running = transcriptOf([start, ...says("a", "Hello")]);
    expect(words(toRows(running))).toEqual(["prompt", "text"]);
    expect(words(toRows(transcriptOf([end], running)))).toEqual(["prompt", "text", "end"]);
  });

  it("shows what a task did inside the task", () => {
    const events = [start, calls("a", "task"), calls("b", "shell", "a"), calls("c", "shell", "a"), calls("d", "shell")];
    expect(words(toRows(transcriptOf(events)))).toEqual(["prompt", "task +2", "shell"]);
  });

  it("shows a step whose task is not there on its own", () => {
    expect(words(toRows(transcriptOf([start, calls("b", "shell", "gone")])))).toEqual(["prompt", "shell"]);
  });

  it("shows a question once, not as a call too", () => {
    const events = [start, calls("a", "question"), { type: "question", requestId: "r", callId: "a", questions: [] }];
    expect(words(toRows(transcriptOf(events as AgentEvent[])))).toEqual(["prompt", "question"]);
  });

  it("shows the approval instead of the call while it is waited for, and afterwards before it", () => {
    const asked = transcriptOf([
      start,
      calls("a", "shell"),
      { type: "approval-request", requestId: "r", callId: "a", subject: "exec", input: {} },
    ]);
    expect(words(toRows(asked))).toEqual(["prompt", "approval"]);
    const answered = transcriptOf(
      [{ type: "approval-answer", requestId: "r", decision: "approved", by: "person" }],
      asked,
    );
    expect(words(toRows(answered))).toEqual(["prompt", "approval", "shell"]);
  });

  it.each(["policy", "agent"] as const)("shows what the %s let through as the call it is", (by) => {
    const allowed = transcriptOf([
      start,
      { type: "tool-call", callId: "a", name: "read", kind: "read", input: {}, owner: "gateway" },
      { type: "approval-request", requestId: "r", callId: "a", subject: "read", input: {} },
      { type: "approval-answer", requestId: "r", decision: "approved", by },
    ]);
    expect(words(toRows(allowed))).toEqual(["prompt", "read"]);
  });

  it("knows which list of todos is how things stand", () => {
    const todos: AgentEvent = { type: "todos", items: [], merge: true };
    const events = [start, calls("a", "todo"), result("a"), todos, calls("b", "todo"), result("b"), todos];
    expect(words(toRows(transcriptOf(events)))).toEqual(["prompt", "old todos", "todos"]);
  });

  it("leaves out text without a word", () => {
    expect(words(toRows(transcriptOf([start, ...says("a", "\n")])))).toEqual(["prompt"]);
  });

  it("has the same key for an item while it grows, and another row only when it looks different", () => {
    const before = transcriptOf([start, ...says("a", "One"), { type: "text-start", blockId: "b" }]);
    const grown = transcriptOf([{ type: "text-delta", blockId: "b", text: "Two" }], before);
    const [first, second] = [toRows(before)[1], toRows(grown)[1]];
    expect(first?.key).toBe(second?.key);
    expect(first?.kind === "item" && second?.kind === "item" && isSameRow(first, second)).toBe(true);
  });

  it("takes time in proportion to the items of a turn", () => {
    const events = Array.from({ length: 60_000 }, (_, index) => calls(`c${index}`, "shell"));
    const transcript = transcriptOf([start, ...events]);
    const started = performance.now();
    expect(toRows(transcript).length).toBe(60_001);
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});

describe("answerOf", () => {
  it("is what was said after the last call, else before it", () => {
    const [turn] = transcriptOf([
      start,
      ...says("a", "Let me look."),
      calls("c", "shell"),
      ...says("b", "Done."),
    ]).turns;
    expect(turn && answerOf(turn)).toBe("Done.");
    const [other] = transcriptOf([start, ...says("a", "Let me look."), calls("c", "shell")]).turns;
    expect(other && answerOf(other)).toBe("Let me look.");
    const plan: AgentEvent = { type: "plan", callId: "p", text: "# Plan" };
    const [planned] = transcriptOf([start, ...says("a", "So:"), calls("p", "plan"), plan]).turns;
    expect(planned && answerOf(planned)).toBe("So:\n\n# Plan");
    const [none] = transcriptOf([start]).turns;
    expect(none && answerOf(none)).toBe("");
  });
});

describe("reads and searches", () => {
  const looks = (callId: string, kind: "read" | "search", path: string): AgentEvent => ({
    type: "tool-call",
    callId,
    name: kind,
    kind,
    input: { path },
    owner: "agent",
  });

  it("that follow each other are one row, which keeps the key of the first while it grows", () => {
    const one = transcriptOf([start, looks("a", "read", "a.ts")]);
    const two = transcriptOf([looks("b", "read", "b.ts")], one);
    const cut = transcriptOf([...says("x", "So."), looks("c", "search", "c")], two);
    expect([words(toRows(one)), words(toRows(two)), words(toRows(cut))]).toEqual([
      ["prompt", "read"],
      ["prompt", "explored 2 files"],
      ["prompt", "explored 2 files", "text", "search"],
    ]);
    expect(toRows(one)[1]?.key).toBe(toRows(cut)[1]?.key);
  });

  it("are counted by what was looked at: a file that was read twice is one", () => {
    const events = [
      start,
      looks("a", "read", "a.ts"),
      looks("b", "read", "a.ts"),
      looks("c", "search", "x"),
      { ...looks("d", "search", "src"), name: "ls" } as AgentEvent,
    ];
    expect(words(toRows(transcriptOf(events)))).toEqual(["prompt", "explored 1 file, 1 search, 1 directory"]);
  });

  it("are drawn again only when one of them changes", () => {
    const before = transcriptOf([start, looks("a", "read", "a"), looks("b", "read", "b")]);
    const row = (transcript: Transcript) => toRows(transcript)[1] as ExploredRow;
    expect([
      isSameExplored(row(before), row(transcriptOf(says("t", "Hm."), before))),
      isSameExplored(row(before), row(transcriptOf([result("b")], before))),
    ]).toEqual([true, false]);
  });
});
