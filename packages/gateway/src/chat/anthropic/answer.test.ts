import type { AgentEvent } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { toMessage } from "./answer.ts";
import { MessageStream } from "./stream.ts";

const count = { startsTurn: true, prompt: () => ({ fresh: 12, repeated: 0 }) };
const options = { id: "msg_1", model: "auto", count, showActivity: "reasoning" } as const;
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

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "auto",
  stop_sequence: null,
  stop_details: null,
  container: null,
  diagnostics: null,
};
const served = {
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  output_tokens_details: null,
  server_tool_use: null,
  cache_creation: null,
  inference_geo: null,
  service_tier: "standard",
  speed: null,
};
const thinking = { type: "thinking", thinking: "hm", signature: "" };
const one = { type: "text", text: "One." };
const two = { type: "text", text: "Two." };

it("sends a whole turn in one message", () => {
  const events: AgentEvent[] = [...turn, { type: "usage", usage: { input: 3, output: 4, cacheRead: 0 } }];
  expect(toMessage(events, options)).toEqual({
    ...message,
    content: [thinking, one, { type: "thinking", thinking: "→ read: a", signature: "" }, two],
    stop_reason: "end_turn",
    usage: { ...served, input_tokens: 3, output_tokens: 4 },
  });
});

it("shows activity as text, or not at all", () => {
  const shown = (["text", "none"] as const).map(
    (showActivity) => toMessage(turn, { ...options, showActivity }).content,
  );
  expect(shown).toEqual([
    [thinking, one, { type: "text", text: "→ read: a" }, two],
    [thinking, one, two],
  ]);
});

it("answers with the plan of a turn that only plans, whatever activity is shown", () => {
  const planned: AgentEvent[] = [...turn, { type: "plan", text: "# Plan" }];
  const shown = (["reasoning", "text", "none"] as const).map((showActivity) =>
    toMessage(planned, { ...options, showActivity }).content.at(-1),
  );
  expect(shown).toEqual(Array(3).fill({ type: "text", text: "# Plan" }));
});

it("returns client tool calls as tool_use blocks, and counts them", () => {
  const events: AgentEvent[] = [{ ...call, callId: "c9", owner: "client" }];
  expect(toMessage(events, options)).toEqual({
    ...message,
    content: [{ type: "tool_use", id: "c9", name: "read", input: { path: "a" }, caller: { type: "direct" } }],
    stop_reason: "tool_use",
    usage: { ...served, input_tokens: 12, output_tokens: 4, caret_estimated: true },
  });
});

it("counts an answer in the middle of its turn for itself, and sends the turn's usage apart, once", () => {
  const later = { startsTurn: false, prompt: () => ({ fresh: 7, repeated: 20 }) };
  const used = { input: 100, output: 50, cacheRead: 900 };
  const events: AgentEvent[] = [...turn, { type: "usage", usage: used }];
  expect(toMessage(events, { ...options, count: later }).usage).toEqual({
    ...served,
    input_tokens: 7,
    cache_read_input_tokens: 20,
    output_tokens: 3,
    caret_estimated: true,
    caret_turn_usage: used,
  });
});

describe("a whole answer and a stream", () => {
  const split: AgentEvent[] = [
    { ...call, callId: "c0", owner: "agent" },
    { type: "tool-result", callId: "c0", status: "error", output: "gone" },
    ...turn,
    { type: "text-start", blockId: "b3" },
    { type: "text-delta", blockId: "b3", text: "Half of " },
    { ...call, callId: "c2", owner: "agent" },
    { type: "text-delta", blockId: "b3", text: "three." },
    { type: "text-end", blockId: "b3" },
    { type: "plan", text: "# Plan" },
    { ...call, callId: "c9", owner: "client" },
  ];

  it.each(["reasoning", "text", "none"] as const)(
    "have the same blocks in the same order with activity %s",
    (shown) => {
      const shape = { ...options, showActivity: shown };
      const stream = new MessageStream(shape);
      // Event by event, as in a slow turn.
      const wire = split.map((event) => stream.write([event])).join("") + stream.end({ kind: "finished" });
      const { content, stop_reason } = toMessage(split, shape);
      expect(blocksOf(wire)).toEqual(content);
      expect(stop_reason).toBe("tool_use");
    },
  );
});

/** The content that a client assembles from a stream. */
function blocksOf(wire: string): readonly Record<string, unknown>[] {
  const blocks: Record<string, unknown>[] = [];
  for (const [, data = ""] of wire.matchAll(/^data: (.*)$/gm)) {
    const { type, index, content_block, delta } = JSON.parse(data);
    if (type === "content_block_start") blocks[index] = content_block;
    if (type !== "content_block_delta") continue;
    const block = blocks[index] ?? {};
    if (delta.type === "text_delta") block["text"] += delta.text;
    if (delta.type === "thinking_delta") block["thinking"] += delta.thinking;
    if (delta.type === "input_json_delta") block["input"] = JSON.parse(delta.partial_json);
  }
  return blocks;
}
