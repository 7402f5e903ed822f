import type { AgentEvent, Usage } from "@caret/protocol";
import { expect, it } from "vitest";
import type { AnswerEnding } from "../serve-answer.ts";
import { MessageStream, type MessageStreamOptions } from "./stream.ts";

const count = { startsTurn: true, prompt: () => ({ fresh: 12, repeated: 0 }) };
const options: MessageStreamOptions = { id: "msg_1", model: "auto", count, showActivity: "reasoning" };
const completed = { kind: "finished" } as const;
const call = { type: "tool-call", callId: "c1", name: "read", kind: "read", input: { path: "a" } } as const;
const usage: Usage = { input: 5, output: 7, cacheRead: 11, cacheWrite: 3, reasoning: 2, cost: 0.5 };

function text(value: string, blockId = "b1"): AgentEvent[] {
  return [
    { type: "text-start", blockId },
    { type: "text-delta", blockId, text: value },
    { type: "text-end", blockId },
  ];
}

/** The stream as a client reads it: each event's data, after checking that the event's name matches. */
function readStream(wire: string): unknown[] {
  expect(wire.endsWith("\n\n")).toBe(true);
  return wire
    .slice(0, -2)
    .split("\n\n")
    .map((event) => {
      const [, name, data = ""] = /^event: (\w+)\ndata: ([^\n]+)$/.exec(event) ?? [];
      const value = JSON.parse(data);
      expect(value.type).toBe(name);
      return value;
    });
}

function play(events: readonly AgentEvent[], end: AnswerEnding, given = {}) {
  const stream = new MessageStream({ ...options, ...given });
  return readStream(stream.start() + stream.write(events) + stream.end(end)).slice(1);
}

const start = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block });
const delta = (index: number, value: object) => ({ type: "content_block_delta", index, delta: value });
const stop = (index: number) => ({ type: "content_block_stop", index });
const textBlock = (index: number, value: string) => [
  start(index, { type: "text", text: "" }),
  delta(index, { type: "text_delta", text: value }),
  stop(index),
];
const thinkingBlock = (index: number, ...values: string[]) => [
  start(index, { type: "thinking", thinking: "", signature: "" }),
  ...values.map((thinking) => delta(index, { type: "thinking_delta", thinking })),
  stop(index),
];
const uncounted = {
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  output_tokens_details: null,
  server_tool_use: null,
};
const ending = (stop_reason: string, used: object) => [
  {
    type: "message_delta",
    delta: { stop_reason, stop_sequence: null, stop_details: null, container: null },
    usage: { ...uncounted, ...used },
  },
  { type: "message_stop" },
];
const estimated = (output_tokens: number) => ({ input_tokens: 12, output_tokens, caret_estimated: true });

it("begins with a message that is still empty", () => {
  expect(readStream(new MessageStream(options).start())).toEqual([
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "auto",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        stop_details: null,
        container: null,
        diagnostics: null,
        usage: {
          ...uncounted,
          input_tokens: 12,
          output_tokens: 0,
          cache_creation: null,
          inference_geo: null,
          service_tier: "standard",
          speed: null,
          caret_estimated: true,
        },
      },
    },
  ]);
});

it("sends text with the usage that upstream reported", () => {
  expect(play([...text('Hé\n"you"\u2028'), { type: "usage", usage }], completed)).toEqual([
    ...textBlock(0, 'Hé\n"you"\u2028'),
    ...ending("end_turn", {
      input_tokens: 5,
      output_tokens: 7,
      cache_read_input_tokens: 11,
      cache_creation_input_tokens: 3,
      output_tokens_details: { thinking_tokens: 2 },
      cost: 0.5,
    }),
  ]);
});

it("counts what was said when upstream reports no usage, and says that it did", () => {
  expect(play(text("12345678"), completed).slice(-2)).toEqual(ending("end_turn", estimated(2)));
});

it("marks the usage when upstream reported only a part of it", () => {
  const part: AgentEvent = { type: "usage", usage: { output: 7 } };
  expect(play([part], completed)).toEqual(ending("end_turn", estimated(7)));
});

it("sends thinking in blocks of its own", () => {
  const events: AgentEvent[] = [
    { type: "thinking-start", blockId: "t1" },
    { type: "thinking-delta", blockId: "t1", text: "h" },
    { type: "thinking-delta", blockId: "t1", text: "m" },
    { type: "thinking-end", blockId: "t1" },
    ...text("ok"),
  ];
  expect(play(events, completed).slice(0, -2)).toEqual([...thinkingBlock(0, "h", "m"), ...textBlock(1, "ok")]);
});

const working: AgentEvent[] = [
  { type: "text-start", blockId: "b1" },
  { type: "text-delta", blockId: "b1", text: "Look" },
  { ...call, owner: "agent" },
  { type: "tool-result", callId: "c1", status: "error", output: "gone" },
  { type: "text-delta", blockId: "b1", text: "ing" },
  { type: "text-end", blockId: "b1" },
];

it("shows the agent's own tools as thinking, even in the middle of a text block", () => {
  expect(play(working, completed).slice(0, -2)).toEqual([
    ...textBlock(0, "Look"),
    ...thinkingBlock(1, "→ read: a", "\n  error: gone"),
    ...textBlock(2, "ing"),
  ]);
});

it("shows the agent's own tools as text blocks of their own when that is wanted", () => {
  expect(play(working, completed, { showActivity: "text" }).slice(0, -2)).toEqual([
    ...textBlock(0, "Look"),
    start(1, { type: "text", text: "" }),
    ...["→ read: a", "\n  error: gone"].map((value) => delta(1, { type: "text_delta", text: value })),
    stop(1),
    ...textBlock(2, "ing"),
  ]);
});

it("keeps the agent's own tools to itself when that is wanted", () => {
  expect(play(working, completed, { showActivity: "none" }).slice(0, -2)).toEqual([
    start(0, { type: "text", text: "" }),
    delta(0, { type: "text_delta", text: "Look" }),
    delta(0, { type: "text_delta", text: "ing" }),
    stop(0),
  ]);
});

it("hands calls of the client's tools over and ends with tool_use", () => {
  const events: AgentEvent[] = [
    ...text("Reading"),
    { ...call, owner: "client" },
    { ...call, callId: "c2", input: undefined, owner: "client" },
  ];
  const toolUse = (index: number, id: string, json: string) => [
    start(index, { type: "tool_use", id, name: "read", input: {}, caller: { type: "direct" } }),
    delta(index, { type: "input_json_delta", partial_json: json }),
    stop(index),
  ];
  expect(play(events, completed)).toEqual([
    ...textBlock(0, "Reading"),
    ...toolUse(1, "c1", '{"path":"a"}'),
    ...toolUse(2, "c2", "{}"),
    ...ending("tool_use", estimated(8)),
  ]);
});

it("counts the calls it gave to the client, and shows nothing of their results", () => {
  const stream = new MessageStream(options);
  stream.write([{ ...call, owner: "client" }]);
  const shown = stream.write([{ type: "tool-result", callId: "c1", status: "error", output: "the client's own" }]);
  expect({ calls: stream.calls, shown }).toEqual({ calls: 1, shown: "" });
});

it("sends a failure as an error and still ends properly", () => {
  const error = { code: "rate-limited", message: "Too fast.", retryable: true, fix: "Wait." } as const;
  const events: AgentEvent[] = [
    { type: "text-start", blockId: "b1" },
    { type: "text-delta", blockId: "b1", text: "Hal" },
  ];
  expect(play(events, { kind: "failed", error })).toEqual([
    ...textBlock(0, "Hal"),
    { type: "error", error: { type: "turn_failed", message: "Too fast. Wait.", code: "rate-limited" } },
    ...ending("end_turn", estimated(1)),
  ]);
});

it("remembers how the turn ended, for the caller that finishes the stream", () => {
  const stream = new MessageStream(options);
  stream.write([{ type: "turn-end", outcome: { kind: "completed" } }]);
  expect(stream.outcome).toEqual({ kind: "completed" });
});

it("ignores what it has no words for", () => {
  const stream = new MessageStream(options);
  expect(
    stream.write([
      { type: "turn-start", turnId: "t", lane: "sim" },
      { type: "session-ready" },
      { type: "text-delta", blockId: "b", text: "" },
      { type: "unknown", source: "x", label: "y", value: 1 },
      { type: "todos", items: [], merge: false },
    ]),
  ).toBe("");
});

it("answers with the plan of a turn that only plans, whatever activity is shown", () => {
  const events: AgentEvent[] = [...text("So:"), { type: "plan", text: "# Plan" }, { type: "usage", usage }];
  const shown = (["reasoning", "text", "none"] as const).map((showActivity) =>
    play(events, completed, { showActivity }).slice(0, 6),
  );
  expect(shown).toEqual(Array(3).fill([...textBlock(0, "So:"), ...textBlock(1, "# Plan")]));
});
