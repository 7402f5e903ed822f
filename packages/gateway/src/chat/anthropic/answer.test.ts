import { type AgentEvent, CaretError } from "@caret/protocol";
import { expect, it } from "vitest";
import { toMessage } from "./answer.ts";

const count = { startsTurn: true, prompt: () => ({ fresh: 12, repeated: 0 }) };
const options = { id: "msg_1", model: "auto", count, showActivity: "reasoning" } as const;
const completed = { kind: "completed" } as const;
const call = { type: "tool-call", name: "read", kind: "read", input: { path: "a" } } as const;

const turn: AgentEvent[] = [
  { type: "turn-start", turnId: "t", lane: "sim" },
  { type: "thinking-start", blockId: "t1" },
  { type: "thinking-delta", blockId: "t1", text: "hm" },
  { type: "thinking-end", blockId: "t1" },
  { type: "text-start", blockId: "b1" },
  { type: "text-delta", blockId: "b1", text: "One." },
  { type: "text-end", blockId: "b1" },
  { ...call, callId: "c1", owner: "agent" },
  { type: "tool-result", callId: "c1", status: "ok", output: "" },
  { type: "text-start", blockId: "b2" },
  { type: "text-delta", blockId: "b2", text: "Two." },
  { type: "text-end", blockId: "b2" },
];

const message = { id: "msg_1", type: "message", role: "assistant", model: "auto", stop_sequence: null };
const thinking = { type: "thinking", thinking: "hm", signature: "" };
const one = { type: "text", text: "One." };
const two = { type: "text", text: "Two." };

it("tells a whole turn in one message", () => {
  const events: AgentEvent[] = [...turn, { type: "usage", usage: { input: 3, output: 4, cacheRead: 0 } }];
  expect(toMessage(events, completed, options)).toEqual({
    ...message,
    content: [thinking, { type: "thinking", thinking: "→ read: a\n", signature: "" }, one, two],
    stop_reason: "end_turn",
    usage: { input_tokens: 3, output_tokens: 4, cache_read_input_tokens: 0 },
  });
});

it("shows activity as text, or not at all", () => {
  const shown = (["text", "none"] as const).map(
    (showActivity) => toMessage(turn, completed, { ...options, showActivity }).content,
  );
  expect(shown).toEqual([
    [thinking, { type: "text", text: "→ read: a\n" }, one, two],
    [thinking, one, two],
  ]);
});

it("answers with the plan of a turn that only plans, whatever activity is shown [fidelity F1]", () => {
  const planned: AgentEvent[] = [...turn, { type: "plan", text: "# Plan" }];
  const shown = (["reasoning", "text", "none"] as const).map((showActivity) =>
    toMessage(planned, completed, { ...options, showActivity }).content.at(-1),
  );
  expect(shown).toEqual(Array(3).fill({ type: "text", text: "# Plan" }));
});

it("hands calls of the client's tools over, and counts them", () => {
  const events: AgentEvent[] = [{ ...call, callId: "c9", owner: "client" }];
  expect(toMessage(events, "parked", options)).toEqual({
    ...message,
    content: [{ type: "tool_use", id: "c9", name: "read", input: { path: "a" } }],
    stop_reason: "tool_use",
    usage: { input_tokens: 12, output_tokens: 4, caret_estimated: true },
  });
});

it("fails with what made the turn fail", () => {
  const error = { code: "stalled", message: "Silent.", retryable: true, fix: "Again.", upstream: "..." } as const;
  expect(() => toMessage(turn, { kind: "failed", error }, options)).toThrow(
    new CaretError("stalled", "Silent.", { retryable: true, fix: "Again.", upstream: "..." }),
  );
});

it("never takes a cancelled turn for an answer", () => {
  expect(() => toMessage(turn, { kind: "cancelled" }, options)).toThrow("The turn was cancelled.");
});

it("counts an answer in the middle of its turn for itself, and tells the turn's usage apart, once [clients D2]", () => {
  const later = { startsTurn: false, prompt: () => ({ fresh: 7, repeated: 20 }) };
  const used = { input: 100, output: 50, cacheRead: 900 };
  const events: AgentEvent[] = [...turn, { type: "usage", usage: used }];
  expect(toMessage(events, completed, { ...options, count: later }).usage).toEqual({
    input_tokens: 7,
    cache_read_input_tokens: 20,
    output_tokens: 6,
    caret_estimated: true,
    caret_turn_usage: used,
  });
});
