import { type AgentEvent, CaretError } from "@caret/protocol";
import { describe, expect, it } from "vitest";

import { toCompletion } from "./answer.ts";
import { ChatStream, type ChatStreamOptions } from "./stream.ts";

const options: ChatStreamOptions = {
  id: "chatcmpl-1",
  created: 1000,
  model: "auto",
  includeUsage: true,
  showActivity: "reasoning",
  tools: [],
  count: { startsTurn: true, prompt: () => ({ fresh: 12, repeated: 30 }) },
};

const answer: readonly AgentEvent[] = [
  { type: "turn-start", turnId: "t1", lane: "sim" },
  { type: "thinking-start", blockId: "a" },
  { type: "thinking-delta", blockId: "a", text: "Let me see." },
  { type: "thinking-end", blockId: "a" },
  { type: "text-start", blockId: "b" },
  { type: "text-delta", blockId: "b", text: 'Hello "you"\n' },
  { type: "text-delta", blockId: "b", text: "und Grüße 🙂" },
  { type: "text-end", blockId: "b" },
  { type: "text-start", blockId: "c" },
  { type: "text-delta", blockId: "c", text: "Bye." },
  { type: "text-end", blockId: "c" },
  { type: "usage", usage: { input: 10, output: 5, cacheRead: 100, cacheWrite: 20, reasoning: 2, cost: 0.25 } },
  { type: "turn-end", outcome: { kind: "completed" } },
];

const calls: readonly AgentEvent[] = ["c1", "c2"].map((callId) => ({
  type: "tool-call",
  callId,
  name: "read",
  kind: "mcp",
  input: { path: callId },
  owner: "client",
}));

/** The stream as a client sees it: parsed chunks, and `[DONE]` unchanged. */
function chunksOf(wire: string): unknown[] {
  return wire
    .split("\n\n")
    .slice(0, -1)
    .map((event) => (event === "data: [DONE]" ? "[DONE]" : JSON.parse(event.replace(/^data: /, ""))));
}

const head = {
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1000,
  model: "auto",
  service_tier: "default",
};
const choice = (content: object, finish_reason: string | null) => ({
  ...head,
  choices: [{ index: 0, delta: content, logprobs: null, finish_reason }],
});
const delta = (content: object) => ({ ...choice(content, null), usage: null });
const finish = (reason: string) => ({ ...choice({}, reason), usage: null });
const usage = {
  ...head,
  choices: [],
  usage: {
    prompt_tokens: 130,
    completion_tokens: 5,
    total_tokens: 135,
    prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 20 },
    completion_tokens_details: { reasoning_tokens: 2 },
    cost: 0.25,
    totalCost: 0.25,
    total_cost: 0.25,
  },
};

/** Usage of an answer with this many tokens if upstream counted nothing for it. */
const estimated = (completion_tokens: number) => ({
  prompt_tokens: 42,
  completion_tokens,
  total_tokens: 42 + completion_tokens,
  prompt_tokens_details: { cached_tokens: 30 },
  caret_estimated: true,
});

describe("a chat completion stream", () => {
  it("sends the role, reasoning, text, one finish reason, usage and the end, in this order", () => {
    const stream = new ChatStream(options);
    expect(chunksOf(stream.write(answer) + stream.end({ kind: "finished" }))).toEqual([
      delta({ role: "assistant", content: "", refusal: null }),
      delta({ reasoning_content: "Let me see." }),
      delta({ content: 'Hello "you"\n' }),
      delta({ content: "und Grüße 🙂" }),
      delta({ content: "\n\nBye." }),
      finish("stop"),
      usage,
      "[DONE]",
    ]);
  });

  it("keeps usage to itself when it was not asked for", () => {
    const stream = new ChatStream({ ...options, includeUsage: false });
    expect(chunksOf(stream.write(answer) + stream.end({ kind: "finished" })).slice(-2)).toEqual([
      choice({}, "stop"),
      "[DONE]",
    ]);
  });

  it("invents no usage when upstream reported none", () => {
    const stream = new ChatStream(options);
    expect(chunksOf(stream.end({ kind: "finished" }))).toEqual([
      delta({ role: "assistant", content: "", refusal: null }),
      finish("stop"),
      "[DONE]",
    ]);
  });

  it("counts an answer that is not all of its turn for itself, and sends the turn's usage apart, once", () => {
    const later = { ...options, count: { ...options.count, startsTurn: false } };
    const stream = new ChatStream(later);
    const chunk = chunksOf(stream.write(answer) + stream.end({ kind: "finished" })).at(-2);
    const turn = { input: 10, output: 5, cacheRead: 100, cacheWrite: 20, reasoning: 2, cost: 0.25 };
    const cost = { cost: 0.25, totalCost: 0.25, total_cost: 0.25 };
    const usage = { ...estimated(12), ...cost, caret_turn_usage: turn };
    expect([chunk, toCompletion(answer, later).usage]).toEqual([{ ...head, choices: [], usage }, usage]);
  });

  it("estimates the usage of an answer that was cut", () => {
    const cut = { kind: "length" } as const;
    const stream = new ChatStream(options);
    const said = answer.slice(4, 6);
    const chunk = chunksOf(stream.write(said) + stream.end({ kind: "finished", cut })).at(-2);
    expect([chunk, toCompletion(said, options, cut).usage]).toEqual([
      { ...head, choices: [], usage: estimated(3) },
      estimated(3),
    ]);
  });

  it("says nothing before there is something to say", () => {
    expect(new ChatStream(options).write(answer.slice(0, 2))).toBe("");
  });

  it("gives the client its calls with stable indexes, finishes with tool_calls, and has usage", () => {
    const stream = new ChatStream(options);
    const named = (index: number, id: string) =>
      delta({ tool_calls: [{ index, id, type: "function", function: { name: "read", arguments: "" } }] });
    const filled = (index: number, path: string) =>
      delta({ tool_calls: [{ index, function: { arguments: `{"path":"${path}"}` } }] });
    expect(chunksOf(stream.write(calls) + stream.end({ kind: "finished" }))).toEqual([
      delta({ role: "assistant", content: "", refusal: null }),
      named(0, "c1"),
      filled(0, "c1"),
      named(1, "c2"),
      filled(1, "c2"),
      finish("tool_calls"),
      { ...head, choices: [], usage: estimated(9) },
      "[DONE]",
    ]);
  });

  it("gives the call of a custom tool as a custom call, streamed and whole", () => {
    const tools = [{ name: "note", form: "custom", inputSchema: {} }] as const;
    const asked = (input: unknown): readonly AgentEvent[] => [
      { type: "tool-call", callId: "c1", name: "note", kind: "mcp", input, owner: "client" },
    ];
    const chunk = (input: string) =>
      delta({ tool_calls: [{ index: 0, id: "c1", type: "custom", custom: { name: "note", input } }] });
    const stream = new ChatStream({ ...options, tools });
    const whole = (input: unknown) => toCompletion(asked(input), { ...options, tools }).choices[0].message.tool_calls;
    const custom = (input: string) => [{ id: "c1", type: "custom", custom: { name: "note", input } }];
    expect({
      streamed: chunksOf(stream.write(asked({ input: "milk" })) + stream.end({ kind: "finished" })).slice(1),
      whole: whole({ input: "milk" }),
      withOtherArguments: whole({ text: "milk" }),
    }).toEqual({
      streamed: [chunk("milk"), finish("tool_calls"), { ...head, choices: [], usage: estimated(5) }, "[DONE]"],
      whole: custom("milk"),
      withOtherArguments: custom('{"text":"milk"}'),
    });
  });

  it("sends a failure in a chunk of its own, and still finishes", () => {
    const stream = new ChatStream(options);
    const error = new CaretError("agent-crashed", "The agent crashed", { upstream: "Segmentation fault" }).toInfo();
    const [, , failure, ...rest] = chunksOf(stream.write(answer.slice(0, 3)) + stream.end({ kind: "failed", error }));
    const { message: _, ...caret } = error;
    expect([failure, rest]).toEqual([
      {
        error: {
          message: "The agent crashed. Segmentation fault. Try again; if it happens again, look at the upstream words.",
          type: "turn_failed",
          param: null,
          code: "agent_crashed",
          caret,
        },
      },
      [finish("stop"), "[DONE]"],
    ]);
  });

  it("finishes with stop when it failed after giving calls: they are not to be run", () => {
    const stream = new ChatStream(options);
    const error = new CaretError("killed", "Gone").toInfo();
    expect(chunksOf(stream.write(calls) + stream.end({ kind: "failed", error })).at(-2)).toEqual(finish("stop"));
  });
});

describe("a whole chat completion", () => {
  it("holds text, reasoning and usage", () => {
    expect(toCompletion(answer, options)).toEqual({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1000,
      model: "auto",
      service_tier: "default",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: 'Hello "you"\nund Grüße 🙂\n\nBye.',
            refusal: null,
            annotations: [],
            reasoning_content: "Let me see.",
          },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: usage.usage,
    });
  });

  it("holds the client's calls, usage, and no content when nothing was said", () => {
    const { choices, usage: reported } = toCompletion(calls, options);
    expect(reported).toEqual(estimated(9));
    expect(choices[0]).toEqual({
      index: 0,
      message: {
        role: "assistant",
        content: null,
        refusal: null,
        annotations: [],
        tool_calls: [
          { id: "c1", type: "function", function: { name: "read", arguments: '{"path":"c1"}' } },
          { id: "c2", type: "function", function: { name: "read", arguments: '{"path":"c2"}' } },
        ],
      },
      logprobs: null,
      finish_reason: "tool_calls",
    });
  });

  it.each(["reasoning", "text", "none"] as const)(
    "says what the stream says, however the events are cut into batches (activity as %s)",
    (showActivity) => {
      for (const steps of sequences(4))
        for (const size of [1, 2, 5]) {
          const events = steps.flatMap(toEvents);
          const { message } = toCompletion(events, { ...options, showActivity }).choices[0];
          expect(replay({ ...options, showActivity }, events, size)).toEqual({
            content: message.content ?? "",
            reasoning: message.reasoning_content ?? "",
            calls: (message.tool_calls ?? []).map((call) => ({
              id: call.id,
              ...(call.type === "function" ? call.function : {}),
            })),
          });
        }
    },
  );
});

type Step =
  | { readonly kind: "text" | "thinking"; readonly text: string }
  | { readonly kind: "call"; readonly owner: "agent" | "client" };

const steps: readonly Step[] = [
  { kind: "text", text: "Words." },
  { kind: "text", text: "" },
  { kind: "thinking", text: "Hm." },
  { kind: "call", owner: "agent" },
  { kind: "call", owner: "client" },
];

/** Every sequence of steps up to a length. */
function sequences(length: number): readonly (readonly Step[])[] {
  if (length === 0) return [[]];
  const shorter = sequences(length - 1);
  const longest = shorter.filter((sequence) => sequence.length === length - 1);
  return [...shorter, ...longest.flatMap((sequence) => steps.map((step) => [...sequence, step]))];
}

function toEvents(step: Step, index: number): AgentEvent[] {
  const blockId = `b${index}`;
  if (step.kind === "call") {
    const { owner } = step;
    return [{ type: "tool-call", callId: blockId, name: "ls", kind: "shell", input: { path: "x" }, owner }];
  }
  const { kind, text } = step;
  return [
    { type: `${kind}-start`, blockId },
    { type: `${kind}-delta`, blockId, text },
    { type: `${kind}-end`, blockId },
  ];
}

interface Chunk {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly {
        readonly index: number;
        readonly id?: string;
        readonly function: { readonly name?: string; readonly arguments: string };
      }[];
    };
  }[];
}

/** Reassembles the stream as a client does. */
function replay(streamOptions: ChatStreamOptions, events: readonly AgentEvent[], size: number) {
  const stream = new ChatStream(streamOptions);
  let wire = "";
  for (let at = 0; at < events.length; at += size) wire += stream.write(events.slice(at, at + size));
  const said = { content: "", reasoning: "", calls: [] as { id: string; name: string; arguments: string }[] };
  for (const chunk of chunksOf(wire) as Chunk[]) {
    const part = chunk.choices[0]?.delta ?? {};
    said.content += part.content ?? "";
    said.reasoning += part.reasoning_content ?? "";
    for (const { index, id = "", function: call } of part.tool_calls ?? []) {
      said.calls[index] ??= { id, name: call.name ?? "", arguments: "" };
      said.calls[index].arguments += call.arguments;
    }
  }
  return said;
}
