import { describe, expect, it } from "vitest";
import type { AgentEvent } from "./agent-event.ts";
import { assertWellFormedTurn } from "./assert-well-formed-turn.ts";

const starts: AgentEvent = { type: "turn-start", turnId: "t1", lane: "cli" };
const ends: AgentEvent = { type: "turn-end", outcome: { kind: "completed" } };
const opens = (blockId: string): AgentEvent => ({ type: "text-start", blockId });
const says = (blockId: string, text = "words"): AgentEvent => ({ type: "text-delta", blockId, text });
const closes = (blockId: string): AgentEvent => ({ type: "text-end", blockId });
const opensThought = (blockId: string): AgentEvent => ({ type: "thinking-start", blockId });
const thinks = (blockId: string): AgentEvent => ({ type: "thinking-delta", blockId, text: "hm" });
const closesThought = (blockId: string): AgentEvent => ({ type: "thinking-end", blockId });
const calls = (callId: string): AgentEvent => ({
  type: "tool-call",
  callId,
  name: "read",
  kind: "read",
  input: {},
  owner: "agent",
});
const prints = (callId: string): AgentEvent => ({ type: "tool-output", callId, text: "…" });
const returns = (callId: string): AgentEvent => ({ type: "tool-result", callId, status: "ok", output: "" });

/** The checker's verdict on a turn with a proper start and end and these events in between. */
const verdictOn = (...events: readonly AgentEvent[]): string => verdict([starts, ...events, ends]);

function verdict(events: readonly AgentEvent[]): string {
  try {
    assertWellFormedTurn(events);
    return "well formed";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("a turn is well formed", () => {
  it.each<readonly [string, readonly AgentEvent[]]>([
    ["it has only a beginning and an end", []],
    ["its blocks come one after the other", [opens("a"), says("a"), closes("a"), opens("b"), closes("b")]],
    ["it thinks before it speaks", [opensThought("a"), thinks("a"), closesThought("a"), opens("b"), closes("b")]],
    [
      "a call starts and settles while a text block is open",
      [opens("a"), calls("1"), prints("1"), returns("1"), closes("a")],
    ],
    ["two calls overlap", [calls("1"), calls("2"), returns("1"), returns("2")]],
    ["it holds what nobody understood", [{ type: "unknown", source: "stream-json", label: "new", value: { a: 1 } }]],
  ])("when %s", (_when, events) => {
    expect(verdictOn(...events)).toBe("well formed");
  });

  it("even when it failed before it began", () => {
    const error = { code: "cli-missing", message: "No agent", retryable: false, fix: "Install it." } as const;
    expect(verdict([starts, { type: "turn-end", outcome: { kind: "failed", error } }])).toBe("well formed");
  });
});

describe("a turn's frame is broken", () => {
  it.each<readonly [string, readonly AgentEvent[], string]>([
    ["by no events at all", [], "neither"],
    ["by no beginning", [opens("a"), closes("a"), ends], "turn-end@2"],
    ["by no end", [starts, opens("a"), closes("a")], "turn-start@0"],
    ["by a second beginning", [starts, starts, ends], "turn-start@0, turn-start@1, turn-end@2"],
    ["by a second end", [starts, ends, ends], "turn-start@0, turn-end@1, turn-end@2"],
    ["by something before the beginning", [opens("a"), starts, closes("a"), ends], "turn-start@1, turn-end@3"],
    ["by something after the end", [starts, ends, calls("1")], "turn-start@0, turn-end@1"],
    ["by an end before the beginning", [ends, starts], "turn-end@0, turn-start@1"],
  ])("%s", (_by, events, got) => {
    expect(verdict(events)).toBe(`A turn is one turn-start, anything, one turn-end; got ${got}`);
  });
});

describe("a turn is not well formed", () => {
  it.each<readonly [string, readonly AgentEvent[], string]>([
    ["when text comes outside of a block", [says("a")], "Event 1 (text-delta): block a is not open"],
    ["when a thought comes outside of a block", [thinks("a")], "Event 1 (thinking-delta): block a is not open"],
    [
      "when text comes for another block than the open one",
      [opens("a"), says("b"), closes("a")],
      "Event 2 (text-delta): block b is not open",
    ],
    [
      "when text comes after its block was closed",
      [opens("a"), closes("a"), says("a")],
      "Event 3 (text-delta): block a is not open",
    ],
    ["when a block closes that never opened", [closes("a")], "Event 1 (text-end): block a is not open"],
    [
      "when a block closes twice",
      [opensThought("a"), closesThought("a"), closesThought("a")],
      "Event 3 (thinking-end): block a is not open",
    ],
    [
      "when a block opens inside another",
      [opens("a"), opensThought("b"), closesThought("b"), closes("a")],
      "Event 2 (thinking-start): block a is still open",
    ],
    [
      "when a block's id is used again",
      [opens("a"), closes("a"), opens("a"), closes("a")],
      "Event 3 (text-start): block a was used before",
    ],
    ["when a block is left open at the end", [opens("a"), says("a")], "Event 3 (turn-end): block a was left open"],
    ["when a call's output comes before the call", [prints("1")], "Event 1 (tool-output): call 1 is not open"],
    ["when a call's result comes before the call", [returns("1")], "Event 1 (tool-result): call 1 is not open"],
    [
      "when a call has two results",
      [calls("1"), returns("1"), returns("1")],
      "Event 3 (tool-result): call 1 is not open",
    ],
    [
      "when a call's output comes after its result",
      [calls("1"), returns("1"), prints("1")],
      "Event 3 (tool-output): call 1 is not open",
    ],
    [
      "when a call is made twice",
      [calls("1"), returns("1"), calls("1"), returns("1")],
      "Event 3 (tool-call): call 1 was made before",
    ],
    [
      "when calls are left without a result",
      [calls("1"), calls("2"), calls("3"), returns("2")],
      "Event 5 (turn-end): calls without a result: 1, 3",
    ],
  ])("%s", (_when, events, breach) => {
    expect(verdictOn(...events)).toBe(breach);
  });

  it.each<readonly [string, AgentEvent]>([
    [
      "an exit code that JSON cannot say",
      { type: "tool-result", callId: "1", status: "ok", output: "", exitCode: NaN },
    ],
    ["a value that JSON leaves out", { type: "unknown", source: "s", label: "l", value: undefined }],
    ["a status that does not exist", { ...returns("1"), status: "fine" } as unknown as AgentEvent],
  ])("when an event holds %s", (_what, event) => {
    const around = event.type === "unknown" ? [calls("1"), returns("1"), event] : [calls("1"), event];
    expect(verdictOn(...around)).toContain(`(${event.type}) is not plain: `);
  });
});
