import type { AgentEvent } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import type { ActivityDisplay } from "./activity-text.ts";
import { AnswerReader } from "./answer-reader.ts";

function piecesOf(events: readonly AgentEvent[], showActivity: ActivityDisplay = "reasoning") {
  return new AnswerReader(showActivity).read(events);
}

const says = (blockId: string, text: string): AgentEvent[] => [
  { type: "text-start", blockId },
  { type: "text-delta", blockId, text },
  { type: "text-end", blockId },
];
const thinks = (blockId: string, text: string): AgentEvent[] => [
  { type: "thinking-start", blockId },
  { type: "thinking-delta", blockId, text },
  { type: "thinking-end", blockId },
];
const runs = (callId: string, command: string, owner: "agent" | "client" | "gateway" = "agent"): AgentEvent => ({
  type: "tool-call",
  callId,
  name: "shell",
  kind: "shell",
  input: { command },
  owner,
});
const returns = (callId: string, status: "ok" | "error" | "rejected", output = ""): AgentEvent => ({
  type: "tool-result",
  callId,
  status,
  output,
});

describe("what a turn's events mean to a client", () => {
  it("marks the first words of every block and its end", () => {
    expect(piecesOf([...thinks("a", "Hm."), ...says("b", "Yes.")])).toEqual([
      { kind: "thinking", text: "Hm.", fresh: true },
      { kind: "close" },
      { kind: "text", text: "Yes.", fresh: true },
      { kind: "close" },
    ]);
  });

  it("says nothing for an empty block", () => {
    expect(piecesOf(says("a", ""))).toEqual([]);
  });

  it("shows the agent's own calls as lines of one block of reasoning", () => {
    expect(
      piecesOf([runs("1", "ls"), returns("1", "ok"), runs("2", "make"), returns("2", "error", "Error 2")]),
    ).toEqual([
      { kind: "thinking", text: "→ shell: ls", fresh: true },
      { kind: "thinking", text: "\n→ shell: make", fresh: false },
      { kind: "thinking", text: "\n  error: Error 2", fresh: false },
    ]);
  });

  it("shows the gateway's calls the same way, and a refusal by its name", () => {
    expect(piecesOf([runs("1", "rm", "gateway"), returns("1", "rejected")])).toEqual([
      { kind: "thinking", text: "→ shell: rm", fresh: true },
      { kind: "thinking", text: "\n  rejected: no reason given", fresh: false },
    ]);
  });

  it("shows them in the text when that is wanted, and not at all when nothing is", () => {
    expect([piecesOf([runs("1", "ls")], "text"), piecesOf([runs("1", "ls")], "none")]).toEqual([
      [{ kind: "text", text: "→ shell: ls", fresh: true }],
      [],
    ]);
  });

  it("closes the lines of activity before the next block begins", () => {
    expect(piecesOf([runs("1", "ls"), ...says("a", "Done.")]).map(({ kind }) => kind)).toEqual([
      "thinking",
      "close",
      "text",
      "close",
    ]);
  });

  it("goes on with a text block that activity broke into, without a gap", () => {
    const events: AgentEvent[] = [
      { type: "text-start", blockId: "a" },
      { type: "text-delta", blockId: "a", text: "One " },
      runs("1", "ls"),
      { type: "text-delta", blockId: "a", text: "sentence." },
      { type: "text-end", blockId: "a" },
    ];
    expect([piecesOf(events), piecesOf(events, "text")]).toEqual([
      [
        { kind: "text", text: "One ", fresh: true },
        { kind: "thinking", text: "→ shell: ls", fresh: true },
        { kind: "text", text: "sentence.", fresh: false },
        { kind: "close" },
      ],
      [
        { kind: "text", text: "One ", fresh: true },
        { kind: "text", text: "→ shell: ls", fresh: true },
        { kind: "text", text: "sentence.", fresh: true },
        { kind: "close" },
      ],
    ]);
  });

  it("hands the client's own calls over whole, and counts them", () => {
    const reader = new AnswerReader("none");
    const pieces = reader.read([runs("c1", "ls", "client"), runs("c2", "pwd", "client")]);
    expect([pieces, reader.calls]).toEqual([
      [
        { kind: "call", call: { callId: "c1", name: "shell", input: { command: "ls" } } },
        { kind: "call", call: { callId: "c2", name: "shell", input: { command: "pwd" } } },
      ],
      2,
    ]);
  });

  it("takes a plan for text, since nothing else repeats it", () => {
    expect(piecesOf([{ type: "plan", text: "1. Do it." }])).toEqual([
      { kind: "text", text: "1. Do it.", fresh: true },
      { kind: "close" },
    ]);
  });

  it("does not let a text block go on in the last line of a plan", () => {
    const events: AgentEvent[] = [
      { type: "text-start", blockId: "a" },
      { type: "text-delta", blockId: "a", text: "So: " },
      { type: "plan", text: "1. Do it." },
      { type: "text-delta", blockId: "a", text: "Done." },
    ];
    expect(piecesOf(events)).toEqual([
      { kind: "text", text: "So: ", fresh: true },
      { kind: "close" },
      { kind: "text", text: "1. Do it.", fresh: true },
      { kind: "close" },
      { kind: "text", text: "Done.", fresh: true },
    ]);
  });

  it("says nothing of what came of the client's own calls", () => {
    expect(piecesOf([runs("c1", "ls", "client"), returns("c1", "error", "no")]).map(({ kind }) => kind)).toEqual([
      "call",
    ]);
  });

  it("remembers usage and outcome, and ignores the rest", () => {
    const reader = new AnswerReader("reasoning");
    const pieces = reader.read([
      { type: "turn-start", turnId: "t", lane: "sim" },
      { type: "notice", kind: "retry", message: "again" },
      { type: "todos", items: [], merge: false },
      { type: "usage", usage: { output: 3 } },
      { type: "turn-end", outcome: { kind: "completed" } },
    ]);
    expect([pieces, reader.usage, reader.outcome]).toEqual([[], { output: 3 }, { kind: "completed" }]);
  });
});
