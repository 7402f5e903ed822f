import { describe, expect, it } from "vitest";
import { CaretError } from "../errors/caret-error.ts";
import type { AgentEvent } from "../events/agent-event.ts";
import { toSeedEvent } from "./seed-event.ts";

const seedOf = (event: AgentEvent, raw?: string) => {
  const envelope = { sessionId: "s1", seq: 7, turnId: "t1", at: 1000, event };
  return toSeedEvent(raw === undefined ? envelope : { ...envelope, raw });
};
const shape = (event: AgentEvent, raw?: string) => {
  const { type, subtype, payload } = seedOf(event, raw);
  return { type, subtype, payload };
};
const result = (subtype: string, payload: object) => ({ type: "result", subtype, payload });

describe("an event with a line of the agent", () => {
  const call: AgentEvent = { type: "tool-call", callId: "c1", name: "shell", kind: "shell", input: {}, owner: "agent" };

  it("is what the line says, line and all", () => {
    const raw = '{"type":"tool_call","subtype":"started","payload":{"toolCall":{"id":"c1"}}}';
    expect(seedOf(call, raw)).toEqual({
      id: "s1:7",
      chatId: "s1",
      timestamp: 1000,
      type: "tool_call",
      subtype: "started",
      payload: { toolCall: { id: "c1" } },
      raw,
    });
  });

  it("carries the whole line where the line has no payload of its own", () => {
    const line = { type: "system", subtype: "init", model: "Auto" };
    expect(shape({ type: "session-ready", model: "Auto" }, JSON.stringify(line))).toEqual({
      type: "system",
      subtype: "init",
      payload: line,
    });
  });

  it("is raw when nobody could read the line", () => {
    const event: AgentEvent = { type: "unknown", source: "stream-json", label: "not-json", value: "oops" };
    expect(seedOf(event, "oops")).toEqual({
      id: "s1:7",
      chatId: "s1",
      timestamp: 1000,
      type: "raw",
      payload: { type: "raw", data: "oops" },
      raw: "oops",
    });
  });

  it("keeps its own shape when only the beginning of the line was kept", () => {
    const cut = { sessionId: "s1", seq: 7, turnId: "t1", at: 1000, event: call, raw: '{"type":"tool_', rawCut: true };
    expect(toSeedEvent({ ...cut, rawCut: true })).toEqual(seedOf(call));
  });

  it("does not repeat text that the deltas had", () => {
    const raw = '{"type":"assistant","message":{"content":[{"type":"text","text":"Hello"}]}}';
    const events: [AgentEvent, string?][] = [
      [{ type: "text-start", blockId: "b" }],
      [{ type: "text-delta", blockId: "b", text: "Hello" }],
      [{ type: "text-end", blockId: "b" }, raw],
    ];
    expect(events.map((event) => shape(...event))).toEqual([
      { type: "assistant", subtype: undefined, payload: { message: { content: [] } } },
      { type: "assistant", subtype: undefined, payload: { message: { content: [{ type: "text", text: "Hello" }] } } },
      { type: "assistant", subtype: undefined, payload: { message: { content: [] } } },
    ]);
  });
});

describe("an event without a line", () => {
  it("has one made for it that says the same", () => {
    const { raw, type, payload } = seedOf({ type: "turn-start", turnId: "t1", lane: "sim", prompt: "Hi" });
    expect([type, payload, JSON.parse(raw)]).toEqual([
      "user",
      { prompt: "Hi" },
      { type: "user", payload: { prompt: "Hi" } },
    ]);
  });

  it.each<[AgentEvent, object]>([
    [
      { type: "thinking-delta", blockId: "b", text: "Hm" },
      { type: "thinking", subtype: "delta", payload: { content: "Hm" } },
    ],
    [
      { type: "tool-call", callId: "c", name: "ls", kind: "shell", input: { command: "ls" }, owner: "agent" },
      {
        type: "tool_call",
        subtype: "started",
        payload: { toolCall: { id: "c", shellToolCall: { name: "ls", args: { command: "ls" } } } },
      },
    ],
    [
      { type: "tool-result", callId: "c", status: "ok", output: "a\n", exitCode: 0 },
      {
        type: "tool_call",
        subtype: "completed",
        payload: { toolCall: { id: "c", result: { exitCode: 0, stdout: "a\n", stderr: "" } } },
      },
    ],
    [
      { type: "tool-result", callId: "c", status: "rejected", output: "no" },
      {
        type: "tool_call",
        subtype: "completed",
        payload: { toolCall: { id: "c", result: { success: false, status: "rejected", output: "no" } } },
      },
    ],
    [{ type: "turn-end", outcome: { kind: "completed" } }, result("success", { exitCode: 0, is_error: false })],
    [
      { type: "turn-end", outcome: { kind: "failed", error: new CaretError("stalled", "Nothing came").toInfo() } },
      result("error", { type: "error", message: "Nothing came", exitCode: 1, is_error: true }),
    ],
    [
      { type: "turn-end", outcome: { kind: "cancelled" } },
      result("error", { type: "error", message: "The turn was cancelled", exitCode: 130, is_error: true }),
    ],
    [
      { type: "notice", kind: "error", message: "Broken" },
      { type: "error", payload: { type: "error", message: "Broken" } },
    ],
    [
      { type: "unknown", source: "x", label: "new", value: { type: "new", a: 1 } },
      { type: "new", payload: { type: "new", a: 1 } },
    ],
    [
      { type: "plan", text: "First" },
      { type: "plan", payload: { text: "First" } },
    ],
  ])("gets the closest shape: %o", (event, expected) => {
    expect(shape(event)).toEqual({ subtype: undefined, ...expected });
  });
});
