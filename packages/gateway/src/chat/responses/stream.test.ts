import { type AgentEvent, CaretError } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { countAnswer } from "../answer-usage.ts";
import { createMemoryItemStore } from "./item-store.ts";
import { readResponsesRequest } from "./request.ts";
import { ResponseStream, type ResponseStreamOptions, toResponse } from "./stream.ts";

const tool = { type: "namespace", name: "fs", tools: [{ type: "function", name: "read" }] };

function options(body: object = { input: "12345678", store: false }): ResponseStreamOptions {
  const read = readResponsesRequest(body, {}, { owner: "me", items: createMemoryItemStore() });
  let count = 0;
  const newId = () => String(++count);
  return {
    id: "resp_0",
    createdAt: 1000,
    model: "auto",
    body: read.body,
    request: read.request,
    showActivity: "reasoning",
    newId,
    now: () => 2000_500,
    count: countAnswer(read.request, { startsTurn: true, relation: "new" }),
  };
}

const answer: readonly AgentEvent[] = [
  { type: "turn-start", turnId: "t1", lane: "sim" },
  { type: "thinking-start", blockId: "a" },
  { type: "thinking-delta", blockId: "a", text: "Hm" },
  { type: "thinking-delta", blockId: "a", text: "m." },
  { type: "thinking-end", blockId: "a" },
  { type: "text-start", blockId: "b" },
  { type: "text-delta", blockId: "b", text: 'Say "Hi' },
  { type: "text-delta", blockId: "b", text: '".' },
  { type: "text-end", blockId: "b" },
  { type: "usage", usage: { input: 10, output: 5, cacheRead: 100, reasoning: 2 } },
  { type: "turn-end", outcome: { kind: "completed" } },
];

const call: AgentEvent = {
  type: "tool-call",
  callId: "c1",
  name: "read",
  kind: "mcp",
  input: { path: "x" },
  owner: "client",
};

interface WireEvent {
  readonly type: string;
  readonly sequence_number: number;
  readonly [field: string]: unknown;
}

/** Parses events and checks each frame: its name equals its type, and the numbers have no gaps. */
function eventsOf(wire: string): WireEvent[] {
  const frames = wire.split("\n\n").slice(0, -1);
  const isEnded = frames.at(-1) === "data: [DONE]";
  const events = frames.slice(0, isEnded ? -1 : undefined).map((text) => {
    const [, name, data = ""] = /^event: (.+)\ndata: (.+)$/.exec(text) ?? [];
    const event = JSON.parse(data) as WireEvent;
    expect(event.type).toBe(name);
    return event;
  });
  expect(isEnded).toBe(/^response\.(completed|incomplete|failed)$/.test(events.at(-1)?.type ?? ""));
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  return events;
}

const bare = ({ sequence_number: _, ...event }: WireEvent) => event;

function response(body: object, state: object) {
  return {
    id: "resp_0",
    object: "response",
    created_at: 1000,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: "auto",
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    truncation: "disabled",
    usage: null,
    metadata: {},
    access_programs: null,
    background: false,
    completed_at: null,
    frequency_penalty: 0,
    max_tool_calls: null,
    presence_penalty: 0,
    prompt_cache_key: null,
    safety_identifier: null,
    service_tier: "default",
    temperature: 1,
    top_logprobs: 0,
    top_p: 1,
    user: null,
    ...body,
    ...state,
  };
}

const part = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });
const message = (status: string, ...content: object[]) => ({
  id: "msg_2",
  type: "message",
  status,
  role: "assistant",
  content,
});
const reasoning = (...summary: object[]) => ({ id: "rs_1", type: "reasoning", summary });
const summary = (text: string) => ({ type: "summary_text", text });
const noDetails = {
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
};
const usage = {
  input_tokens: 110,
  input_tokens_details: { cached_tokens: 100, cache_write_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 115,
};

describe("a responses stream", () => {
  it("sends a reasoning item and a message, each from its opening to its end, and everything once more", () => {
    const stream = new ResponseStream(options());
    const thought = { item_id: "rs_1", output_index: 0, summary_index: 0 };
    const said = { item_id: "msg_2", output_index: 1, content_index: 0 };
    const text = 'Say "Hi".';
    const output = [reasoning(summary("Hmm.")), message("completed", part(text))];
    expect(eventsOf(stream.write(answer) + stream.end({ kind: "finished" })).map(bare)).toEqual([
      { type: "response.created", response: response({}, {}) },
      { type: "response.in_progress", response: response({}, {}) },
      { type: "response.output_item.added", output_index: 0, item: reasoning() },
      { type: "response.reasoning_summary_part.added", ...thought, part: summary("") },
      { type: "response.reasoning_summary_text.delta", ...thought, delta: "Hm" },
      { type: "response.reasoning_summary_text.delta", ...thought, delta: "m." },
      { type: "response.reasoning_summary_text.done", ...thought, text: "Hmm." },
      { type: "response.reasoning_summary_part.done", ...thought, part: summary("Hmm.") },
      { type: "response.output_item.done", output_index: 0, item: output[0] },
      { type: "response.output_item.added", output_index: 1, item: message("in_progress") },
      { type: "response.content_part.added", ...said, part: part("") },
      { type: "response.output_text.delta", ...said, delta: 'Say "Hi', logprobs: [] },
      { type: "response.output_text.delta", ...said, delta: '".', logprobs: [] },
      { type: "response.output_text.done", ...said, text, logprobs: [] },
      { type: "response.content_part.done", ...said, part: part(text) },
      { type: "response.output_item.done", output_index: 1, item: output[1] },
      {
        type: "response.completed",
        response: response({}, { status: "completed", completed_at: 2000, output, usage }),
      },
    ]);
  });

  it("gives the client its call, with the namespace it was offered under", () => {
    const body = { input: "Hi", store: false, tools: [tool] };
    const stream = new ResponseStream(options(body));
    const item = { id: "fc_1", type: "function_call", status: "completed", call_id: "c1", name: "read" };
    const whole = { ...item, arguments: '{"path":"x"}', namespace: "fs" };
    const where = { item_id: "fc_1", output_index: 0 };
    const events = eventsOf(stream.write([call]) + stream.end({ kind: "finished" })).map(bare);
    expect(events.slice(2)).toEqual([
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { ...whole, status: "in_progress", arguments: "" },
      },
      { type: "response.function_call_arguments.delta", ...where, delta: whole.arguments },
      { type: "response.function_call_arguments.done", ...where, name: "read", arguments: whole.arguments },
      { type: "response.output_item.done", output_index: 0, item: whole },
      {
        type: "response.completed",
        response: response(
          { tools: [{ ...tool, tools: [{ ...tool.tools[0], description: null, parameters: null, strict: null }] }] },
          {
            status: "completed",
            completed_at: 2000,
            output: [whole],
            // Upstream counts only at the end of a turn, and this one goes on.
            usage: { input_tokens: 21, output_tokens: 4, total_tokens: 25, ...noDetails, caret_estimated: true },
          },
        ),
      },
    ]);
  });

  it("gives the call of a custom tool as an item of its own kind, with its input as text", () => {
    const tools = [{ type: "custom", name: "read" }];
    const stream = new ResponseStream(options({ input: "Hi", tools }));
    const events = eventsOf(stream.write([{ ...call, input: { input: "x y" } } as AgentEvent])).map(bare);
    const item = { id: "ctc_1", type: "custom_tool_call", status: "completed", call_id: "c1", name: "read" };
    const where = { item_id: "ctc_1", output_index: 0 };
    expect(events.slice(2)).toEqual([
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { ...item, status: "in_progress", input: "" },
      },
      { type: "response.custom_tool_call_input.delta", ...where, delta: "x y" },
      { type: "response.custom_tool_call_input.done", ...where, input: "x y" },
      { type: "response.output_item.done", output_index: 0, item: { ...item, input: "x y" } },
    ]);
  });

  it.each([
    [
      "local_shell",
      { command: ["ls", "-a"], timeout_ms: 5 },
      {
        type: "local_shell_call",
        action: {
          type: "exec",
          command: ["ls", "-a"],
          env: {},
          timeout_ms: 5,
          working_directory: null,
          user: null,
        },
      },
    ],
    [
      "local_shell",
      { command: "ls -a" },
      {
        type: "local_shell_call",
        action: {
          type: "exec",
          command: ["sh", "-c", "ls -a"],
          env: {},
          timeout_ms: null,
          working_directory: null,
          user: null,
        },
      },
    ],
    [
      "shell",
      { commands: ["ls"] },
      {
        type: "shell_call",
        action: { commands: ["ls"], timeout_ms: null, max_output_length: null },
        environment: null,
      },
    ],
    [
      "apply_patch",
      { type: "create_file", path: "a", diff: "+x" },
      { type: "apply_patch_call", operation: { type: "create_file", path: "a", diff: "+x" } },
    ],
    [
      "apply_patch",
      { type: "delete_file", path: "a" },
      { type: "apply_patch_call", operation: { type: "delete_file", path: "a" } },
    ],
  ])("gives the call of %s with %j as the item that its client runs", (type, input, expected) => {
    const stream = new ResponseStream(options({ input: "Hi", tools: [{ type }] }));
    stream.write([{ ...call, name: type, input } as AgentEvent]);
    stream.end({ kind: "finished" });
    expect(stream.response.output).toEqual([{ id: "lc_1", status: "completed", call_id: "c1", ...expected }]);
  });

  it("closes what is open, sends the failure twice and ends, when the agent breaks off", () => {
    const stream = new ResponseStream(options());
    const error = new CaretError("agent-crashed", "The agent crashed", { fix: "Try again." }).toInfo();
    const events = eventsOf(stream.write(answer.slice(0, 7)) + stream.end({ kind: "failed", error })).map(bare);
    const failure = { code: "invalid_prompt", message: "The agent crashed. Try again." };
    const { message: _, ...caret } = error;
    const output = [reasoning(summary("Hmm.")), message("incomplete", part('Say "Hi'))];
    expect(events.slice(-3)).toEqual([
      { type: "response.output_item.done", output_index: 1, item: output[1] },
      {
        type: "error",
        ...failure,
        param: null,
        error: { message: failure.message, type: "turn_failed", param: null, code: "agent_crashed", caret },
      },
      {
        type: "response.failed",
        response: response(
          {},
          {
            status: "failed",
            error: failure,
            output,
            usage: { input_tokens: 2, output_tokens: 3, total_tokens: 5, ...noDetails, caret_estimated: true },
          },
        ),
      },
    ]);
  });

  it("is a whole stream even when nothing was said", () => {
    const stream = new ResponseStream(options());
    expect(eventsOf(stream.end({ kind: "finished" })).map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.completed",
    ]);
  });

  it("says nothing before there is something to say", () => {
    expect(new ResponseStream(options()).write(answer.slice(0, 2))).toBe("");
  });

  it("sends every block of text as a message of its own, and the agent's activity as reasoning between them", () => {
    const says = (blockId: string): AgentEvent[] => [
      { type: "text-start", blockId },
      { type: "text-delta", blockId, text: blockId },
      { type: "text-end", blockId },
    ];
    const stream = new ResponseStream(options());
    stream.write([...says("One."), { ...call, owner: "agent" } as AgentEvent, ...says("Two.")]);
    stream.end({ kind: "finished" });
    expect(stream.response.output.map((item) => JSON.stringify(item).match(/"text":"(.*?)"/)?.[1])).toEqual([
      "One.",
      "→ read: x",
      "Two.",
    ]);
  });

  it("keeps activity apart from the thinking that it breaks into", () => {
    const stream = new ResponseStream(options());
    stream.write([
      { type: "thinking-start", blockId: "a" },
      { type: "thinking-delta", blockId: "a", text: "Hm." },
      { ...call, owner: "agent" } as AgentEvent,
      { type: "thinking-delta", blockId: "a", text: "So." },
    ]);
    stream.end({ kind: "finished" });
    expect(stream.response.output.flatMap((item) => (item.type === "reasoning" ? item.summary : []))).toEqual([
      { type: "summary_text", text: "Hm." },
      { type: "summary_text", text: "→ read: x" },
      { type: "summary_text", text: "So." },
    ]);
  });

  it("names the group that the agent means when two offer a tool of one name", () => {
    const tools = ["a", "b"].map((name) => ({ ...tool, name }));
    const stream = new ResponseStream(options({ input: "Hi", tools }));
    stream.write([{ ...call, server: "b" } as AgentEvent, { ...call, callId: "c2" } as AgentEvent]);
    stream.end({ kind: "finished" });
    expect(stream.response.output.map((item) => (item.type === "function_call" ? item.namespace : ""))).toEqual([
      "b",
      "a",
    ]);
  });
});

it("gives the same response whole as at the end of the stream", () => {
  const stream = new ResponseStream(options());
  for (const event of answer) stream.write([event]);
  stream.end({ kind: "finished" });
  expect(toResponse(answer, options())).toEqual(stream.response);
});
