import { CaretError } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { readChatRequest } from "./request.ts";

const hello = [{ role: "user", content: "Hello" }];
const pixel = "data:image/png;base64,iVBORw0KGgo=";

function errorOf(read: () => unknown): { readonly code: string; readonly message: string } | undefined {
  try {
    read();
    return undefined;
  } catch (reason) {
    const { code, message } = CaretError.from(reason);
    return { code, message };
  }
}

const read = (body: unknown, headers = {}) => readChatRequest(body, headers);
const readMessages = (...messages: unknown[]) => {
  const { system, messages: read } = readChatRequest({ messages: [...messages, ...hello] }, {}).request;
  return { system, messages: read.slice(0, -1) };
};

const named = (name: string) => ({ type: "function", function: { name } });

describe("reading a chat completion request", () => {
  it("refuses two tools of one name, whatever their kinds", () => {
    const refusals = [
      [named("a"), named("b"), named("a")],
      [named("a"), { type: "custom", custom: { name: "a" } }],
    ].map((tools) => errorOf(() => read({ messages: hello, tools })));
    const refusal = { code: "invalid-request", message: 'tools: the name "a" is used twice.' };
    expect(refusals).toEqual([refusal, refusal]);
  });

  it("needs nothing but a message", () => {
    expect(read({ messages: hello })).toEqual({
      stream: false,
      includeUsage: false,
      request: {
        door: "openai",
        isWhole: true,
        requestedModel: { model: undefined, cursorModel: undefined, effort: undefined, thinking: undefined },
        system: "",
        messages: [{ role: "user", parts: [{ kind: "text", text: "Hello" }] }],
        tools: [],
        unavailableTools: [],
        toolChoice: "auto",
        callableTools: undefined,
        parallelCalls: true,
        maxOutputTokens: undefined,
        stopSequences: [],
        ignored: [],
        sampling: "",
        sessionKey: undefined,
        workspace: undefined,
        owner: undefined,
      },
    });
  });

  it("takes over all that has a meaning and ignores the rest", () => {
    const body = {
      model: "cursor/gpt-5",
      cursorModel: "gpt-5-high",
      messages: hello,
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 10,
      max_completion_tokens: 20,
      reasoning_effort: "low",
      prompt_cache_key: "cache",
      temperature: 1,
      top_p: null,
      stop: ["x"],
      store: false,
      gw_custom_option: { any: "thing" },
      n: 1,
      logprobs: false,
      modalities: ["text"],
      audio: null,
    };
    const headers = { "x-session-id": "s1", "x-caret-workspace": "/w", "x-caret-tools": " agent " };
    const { request, ...rest } = read(body, headers);
    expect([
      rest,
      request.requestedModel,
      request.maxOutputTokens,
      request.sessionKey,
      request.workspace,
      request.owner,
    ]).toEqual([
      { stream: true, includeUsage: true },
      { model: "cursor/gpt-5", cursorModel: "gpt-5-high", effort: "low", thinking: undefined },
      20,
      "s1",
      "/w",
      "agent",
    ]);
  });

  it("takes an effort of none for a requestedModel not to think", () => {
    const { requestedModel } = read({ messages: hello, reasoning: { effort: "none" } }).request;
    expect({ effort: requestedModel.effort, thinking: requestedModel.thinking }).toEqual({
      effort: "none",
      thinking: false,
    });
  });

  it("does not take prompt_cache_key for the name of a conversation: applications share one", () => {
    expect(read({ messages: hello, prompt_cache_key: "my-application" }).request.sessionKey).toBe(undefined);
  });

  it("gathers system and developer text wherever it stands", () => {
    expect(
      readMessages(
        { role: "system", content: "One." },
        { role: "user", content: "Hi" },
        {
          role: "developer",
          content: [
            { type: "text", text: "Two." },
            { type: "text", text: "Three." },
          ],
        },
      ),
    ).toEqual({
      system: "One.\n\nTwo.\nThree.",
      messages: [{ role: "user", parts: [{ kind: "text", text: "Hi" }] }],
    });
  });

  it("reads calls and their results, in every form that clients send", () => {
    const call = (id: string, args: string) => ({ id, type: "function", function: { name: "read", arguments: args } });
    expect(
      readMessages(
        {
          role: "assistant",
          content: "",
          tool_calls: [call("a", '{"path":"x"}'), call("b", "{broken"), call("c", "")],
        },
        { role: "tool", tool_call_id: "a", content: "text" },
        { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "part" }] },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "d", type: "custom", custom: { name: "sh", input: "ls" } }],
        },
        { role: "tool", tool_call_id: "d", content: null },
      ).messages,
    ).toEqual([
      {
        role: "assistant",
        text: "",
        calls: [
          { callId: "a", name: "read", input: { path: "x" } },
          { callId: "b", name: "read", input: "{broken" },
          { callId: "c", name: "read", input: {} },
        ],
      },
      { role: "tool", callId: "a", parts: [{ kind: "text", text: "text" }], isError: false },
      { role: "tool", callId: "b", parts: [{ kind: "text", text: "part" }], isError: false },
      { role: "assistant", text: "", calls: [{ callId: "d", name: "sh", input: "ls" }] },
      { role: "tool", callId: "d", parts: [], isError: false },
    ]);
  });

  it("mentions in the assistant's and the system's words what only a user may send", () => {
    const content = [
      { type: "text", text: "Look: " },
      { type: "image_url", image_url: pixel },
      { type: "audio", id: "a1" },
    ];
    expect(readMessages({ role: "assistant", content }, { role: "system", content })).toEqual({
      system: 'Look: \n[an image]\n[content of type "audio"]',
      messages: [{ role: "assistant", text: 'Look: [an image][content of type "audio"]', calls: [] }],
    });
  });

  it("offers functions with their schemas untouched, and names the tools that nobody here can run", () => {
    const parameters = { $schema: "x", type: "object", properties: { n: { type: "integer", maximum: 2 ** 53 } } };
    const { tools, unavailableTools, toolChoice } = read({
      messages: hello,
      tools: [
        { type: "function", function: { name: "read", description: "Reads", parameters }, eager_input_streaming: true },
        { type: "function", function: { name: "bare", description: null } },
        { type: "web_search" },
      ],
      tool_choice: { type: "function", function: { name: "read" } },
    }).request;
    expect({ tools, unavailableTools, toolChoice }).toEqual({
      tools: [
        { name: "read", description: "Reads", inputSchema: parameters },
        { name: "bare", inputSchema: { type: "object", properties: {} } },
      ],
      unavailableTools: ["web_search"],
      toolChoice: { name: "read" },
    });
  });

  it("offers a custom tool as one with a single text, and its grammar in words", () => {
    const { tools } = read({
      messages: hello,
      tools: [
        { type: "custom", custom: { name: "note", description: "Takes a note", format: { type: "text" } } },
        {
          type: "custom",
          custom: {
            name: "sum",
            format: { type: "grammar", grammar: { syntax: "lark", definition: "start: NUMBER" } },
          },
        },
      ],
    }).request;
    const input = (more: string) => ({
      type: "string",
      description: `The whole input of the tool, as plain text.${more}`,
    });
    const schema = (more = "") => ({
      type: "object",
      properties: { input: input(more) },
      required: ["input"],
      additionalProperties: false,
    });
    expect(tools).toEqual([
      { name: "note", form: "custom", description: "Takes a note", inputSchema: schema() },
      { name: "sum", form: "custom", inputSchema: schema(" It must match this lark grammar:\nstart: NUMBER") },
    ]);
  });

  it.each([
    ["auto", "auto"],
    ["none", "none"],
    ["required", "required"],
    [null, "auto"],
  ])("takes the tool choice %j for %j", (tool_choice, expected) => {
    expect(read({ messages: hello, tool_choice }).request.toolChoice).toEqual(expected);
  });

  it("takes the choice of a tool of any kind, and of several, in Chat Completions' own form", () => {
    const tools = [named("read"), named("write"), { type: "custom", custom: { name: "note" } }];
    const choiceOf = (tool_choice: unknown) => {
      const { toolChoice, callableTools } = read({ messages: hello, tools, tool_choice }).request;
      return { toolChoice, callableTools };
    };
    const allowed = { mode: "required", tools: [named("read"), { type: "custom", custom: { name: "note" } }] };
    expect([
      choiceOf({ type: "custom", custom: { name: "note" } }),
      choiceOf({ type: "allowed_tools", allowed_tools: allowed }),
    ]).toEqual([
      { toolChoice: { name: "note" }, callableTools: undefined },
      { toolChoice: "required", callableTools: ["read", "note"] },
    ]);
  });

  it("reads whether calls may come together", () => {
    const parallelOf = (parallel_tool_calls: unknown) =>
      read({ messages: hello, parallel_tool_calls }).request.parallelCalls;
    expect({
      absent: parallelOf(undefined),
      asNull: parallelOf(null),
      asTrue: parallelOf(true),
      asFalse: parallelOf(false),
    }).toEqual({ absent: true, asNull: true, asTrue: true, asFalse: false });
  });

  it("takes one stop sequence or several", () => {
    const stopsOf = (stop: unknown) => read({ messages: hello, stop }).request.stopSequences;
    expect([stopsOf("x"), stopsOf(["x", "y"]), stopsOf(null)]).toEqual([["x"], ["x", "y"], []]);
  });

  it("asks for JSON in words, since nothing can enforce it", () => {
    const schema = { type: "object" };
    const systemOf = (response_format: unknown) => read({ messages: hello, response_format }).request.system;
    expect([
      systemOf({ type: "text" }),
      systemOf({ type: "json_object" }),
      systemOf({ type: "json_schema", json_schema: { name: "x", schema } }),
    ]).toEqual([
      "",
      "Answer with one JSON object and nothing else: no code fence, no words.",
      'Answer with JSON and nothing else: no code fence, no words. It must match this JSON Schema:\n{"type":"object"}',
    ]);
  });
});

const user = (content: unknown) => ({ messages: [{ role: "user", content }] });
const withCall = (call: unknown) => ({ messages: [{ role: "assistant", tool_calls: [call] }, ...hello] });
const withTool = (tool: unknown) => ({ messages: hello, tools: [tool] });

/** A bad body, and the beginning of the client's error message. */
const badRequests: readonly (readonly [unknown, string])[] = [
  [undefined, "The body must be"],
  [null, "The body must be"],
  ["text", "The body must be"],
  [7, "The body must be"],
  [[], "The body must be"],
  [{}, "messages: "],
  [{ messages: null }, "messages: "],
  [{ messages: "Hello" }, "messages: "],
  [{ messages: {} }, "messages: "],
  [{ messages: [] }, "messages: must hold at least one"],
  [{ messages: ["Hello"] }, "messages[0]: must be an object"],
  [{ messages: [null] }, "messages[0]: must be an object"],
  [{ messages: [{}] }, "messages[0].role: "],
  [{ messages: [{ role: "robot", content: "x" }] }, "messages[0].role: must be one of"],
  [
    {
      messages: [
        { role: "system", content: "x" },
        { role: "assistant", content: "y" },
      ],
    },
    "messages: at least one must be from the user",
  ],
  [{ messages: [{ role: "assistant", content: "x" }] }, "messages: at least one must be from the user"],
  [{ messages: [...hello, { role: "user" }] }, "messages[1].content: a user message must have content"],
  [user(null), "messages[0].content: "],
  [user(7), "messages[0].content: must be a string or a list of parts"],
  [user({ type: "text", text: "x" }), "messages[0].content: "],
  [user(["x"]), "messages[0].content"],
  [user([{ text: "x" }]), "messages[0].content"],
  [user([{ type: "text" }]), "messages[0].content[0].text: must be a string"],
  [user([{ type: "text", text: 7 }]), "messages[0].content[0].text: "],
  [{ messages: [{ role: "tool", content: "x" }] }, "messages[0].tool_call_id: "],
  [{ messages: [{ role: "tool", tool_call_id: "", content: "x" }] }, "messages[0].tool_call_id: "],
  [{ messages: [{ role: "tool", tool_call_id: 7, content: "x" }] }, "messages[0].tool_call_id: "],
  [{ messages: [{ role: "assistant", tool_calls: "x" }, ...hello] }, "messages[0].tool_calls: must be a list"],
  [withCall({}), "messages[0].tool_calls[0].id: "],
  [withCall({ id: "a" }), "messages[0].tool_calls[0]: must hold a function"],
  [withCall({ id: "a", function: { arguments: "{}" } }), "messages[0].tool_calls[0].function.name: "],
  [withCall({ id: "a", function: { name: "x", arguments: {} } }), "messages[0].tool_calls[0].function.arguments: "],
  [withCall({ id: "a", function: { name: "", arguments: "" } }), "messages[0].tool_calls[0].function.name: must not"],
  [{ messages: hello, model: 7 }, "model: must be a string"],
  [{ messages: hello, model: {} }, "model: must be a string"],
  [{ messages: hello, cursorModel: [] }, "cursorModel: must be a string"],
  [{ messages: hello, stream: "yes" }, "stream: must be true or false"],
  [{ messages: hello, stream: 1 }, "stream: must be true or false"],
  [{ messages: hello, stream_options: "usage" }, "stream_options: must be an object"],
  [{ messages: hello, stream_options: { include_usage: "yes" } }, "stream_options.include_usage: "],
  [{ messages: hello, max_tokens: 0 }, "max_tokens: must be more than 0"],
  [{ messages: hello, max_tokens: "many" }, "max_tokens: must be a whole number"],
  [{ messages: hello, max_completion_tokens: 1.5 }, "max_completion_tokens: must be a whole number"],
  [{ messages: hello, reasoning_effort: 3 }, "reasoning_effort: must be a string"],
  [{ messages: hello, reasoning: "high" }, "reasoning: must be an object"],
  [{ messages: hello, stop: "" }, "stop: "],
  [{ messages: hello, parallel_tool_calls: "no" }, "parallel_tool_calls: must be true or false"],
  [{ messages: hello, tool_choice: { type: "web_search_preview" } }, "tool_choice: must name one of the tools"],
  [{ messages: hello, tool_choice: { type: "allowed_tools" } }, "tool_choice.mode: "],
  [{ messages: hello, tool_choice: { type: "allowed_tools", mode: "auto" } }, "tool_choice.tools: must be a list"],
  [
    { messages: hello, tool_choice: { type: "allowed_tools", mode: "auto", tools: [named("x")] } },
    'tool_choice: there is no tool "x"',
  ],
  [{ messages: hello, stop: [7] }, "stop"],
  [{ messages: hello, n: 2 }, "n: only one answer"],
  [{ messages: hello, n: 0 }, "n: must be more than 0"],
  [{ messages: hello, n: "1" }, "n: must be a whole number"],
  [{ messages: hello, logprobs: true }, "logprobs: "],
  [{ messages: hello, top_logprobs: 3 }, "logprobs: "],
  [{ messages: hello, top_logprobs: -1 }, "top_logprobs: must not be negative"],
  [{ messages: hello, modalities: ["text", "audio"] }, "modalities: only text"],
  [{ messages: hello, modalities: "audio" }, "modalities: must be a list"],
  [{ messages: hello, audio: { voice: "x" } }, "modalities: only text"],
  [{ messages: hello, functions: [{ name: "x" }] }, "functions: this old form"],
  [{ messages: hello, tools: {} }, "tools: must be a list"],
  [withTool({ type: "custom" }), "tools[0].custom: is missing"],
  [withTool({ type: "custom", custom: { name: "x", format: "lark" } }), "tools[0].custom.format: must be an object"],
  [withTool("x"), "tools[0]: must be an object"],
  [withTool({ type: "function" }), "tools[0].function: is missing"],
  [withTool({ function: {} }), "tools[0].function.name: must be a string"],
  [withTool({ function: { name: "" } }), "tools[0].function.name: must not be empty"],
  [withTool({ function: { name: "x".repeat(300) } }), "tools[0].function.name: is too long"],
  [withTool({ function: { name: "x", parameters: "{}" } }), 'tools: the input schema of "x" must be a JSON Schema'],
  [withTool({ function: { name: "x", description: 7 } }), "tools[0].function.description: must be a string"],
  [{ messages: hello, tool_choice: "maybe" }, "tool_choice: must be"],
  [{ messages: hello, tool_choice: {} }, "tool_choice: must be"],
  [{ messages: hello, tool_choice: { type: "function" } }, "tool_choice: must name one of the tools"],
  [
    { messages: hello, tool_choice: { type: "function", function: { name: "x" } } },
    'tool_choice: there is no tool "x"',
  ],
];

it.each(badRequests)("refuses %j, saying what is wrong: %s", (body, beginning) => {
  const error = thrownBy(() => read(body));
  expect([error.code, error.message.slice(0, beginning.length)]).toEqual(["invalid-request", beginning]);
});

function thrownBy(action: () => unknown): CaretError {
  try {
    action();
  } catch (reason) {
    return CaretError.from(reason);
  }
  throw new Error("Nothing was thrown");
}
