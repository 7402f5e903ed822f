import { CaretError } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { createMemoryItemStore, type KeptResponse, outputText } from "./item-store.ts";
import { readResponsesRequest } from "./request.ts";

const earlier: KeptResponse = {
  id: "resp_1",
  previousId: undefined,
  system: ["Be brief."],
  messages: [{ role: "user", parts: [{ kind: "text", text: "Read x" }] }],
  output: [
    { id: "rs_1", type: "reasoning", summary: [] },
    { id: "msg_1", type: "message", status: "completed", role: "assistant", content: [outputText("I will.")] },
    { id: "fc_1", type: "function_call", status: "completed", call_id: "c1", name: "read", arguments: '{"path":"x"}' },
  ],
};

function read(body: unknown, headers = {}, owner = "me") {
  const items = createMemoryItemStore();
  // Without an archive this is synchronous.
  void items.keep("me", earlier, "session-1");
  return readResponsesRequest(body, headers, { owner, items });
}

const readItems = (...items: unknown[]) => {
  const { system, messages } = read({ input: [...items, { role: "user", content: "Hello" }] }).request;
  return { system, messages: messages.slice(0, -1) };
};

const iWill = { role: "assistant", text: "I will.", calls: [{ callId: "c1", name: "read", input: { path: "x" } }] };

describe("reading a responses request", () => {
  it("needs nothing but an input", () => {
    const { request, added } = read({ input: "Hello" });
    const messages = [{ role: "user", parts: [{ kind: "text", text: "Hello" }] }];
    expect([request, added.messages]).toEqual([
      {
        door: "responses",
        isWhole: true,
        requestedModel: { model: undefined, cursorModel: undefined, effort: undefined, thinking: undefined },
        system: "",
        messages,
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
      messages,
    ]);
  });

  it("takes over all that has a meaning and ignores the rest", () => {
    const { request, body } = read(
      {
        model: "gpt-5",
        input: "Hello",
        instructions: "Be kind.",
        stream: true,
        store: false,
        max_output_tokens: 99,
        reasoning: { effort: "high", summary: "auto" },
        include: ["reasoning.encrypted_content"],
        prompt_cache_key: "cache",
        client_metadata: { any: "thing" },
        text: { verbosity: "low", format: { type: "json_schema", name: "x", schema: { type: "array" } } },
        background: false,
        truncation: "auto",
      },
      { "session-id": "codex" },
    );
    expect({
      effort: request.requestedModel.effort,
      system: request.system,
      maxOutputTokens: request.maxOutputTokens,
      sessionKey: request.sessionKey,
      stream: body.stream,
    }).toEqual({
      effort: "high",
      system:
        'Be kind.\n\nAnswer with JSON and nothing else: no code fence, no words. It must match this JSON Schema:\n{"type":"array"}',
      maxOutputTokens: 99,
      sessionKey: "codex",
      stream: true,
    });
  });

  it("does not take prompt_cache_key for the name of a conversation: applications share one", () => {
    expect(read({ input: "Hello", prompt_cache_key: "my-application" }).request.sessionKey).toBe(undefined);
  });

  it("reads Codex' items: developer text, reasoning, calls with namespaces, outputs as text or parts", () => {
    expect(
      readItems(
        { type: "message", role: "developer", content: [{ type: "input_text", text: "Rules." }] },
        { role: "system", content: "More." },
        { type: "message", id: "u", role: "user", content: [{ type: "input_text", text: "Go" }] },
        { type: "reasoning", id: "rs_9", summary: [], encrypted_content: "…" },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "First." }] },
        { type: "function_call", id: "fc_9", call_id: "a", name: "read", namespace: "fs", arguments: '{"p":1}' },
        { type: "custom_tool_call", call_id: "b", name: "patch", input: "*** Begin" },
        { type: "local_shell_call", call_id: "z", action: {} },
        { type: "function_call_output", id: "o", call_id: "a", output: "done" },
        { type: "custom_tool_call_output", call_id: "b", output: [{ type: "input_text", text: "ok" }] },
      ),
    ).toEqual({
      system: "Rules.\n\nMore.",
      messages: [
        { role: "user", parts: [{ kind: "text", text: "Go" }] },
        {
          role: "assistant",
          text: "First.",
          calls: [
            { callId: "a", name: "read", input: { p: 1 } },
            { callId: "b", name: "patch", input: "*** Begin" },
            { callId: "z", name: "local_shell", input: {} },
          ],
        },
        { role: "tool", callId: "a", parts: [{ kind: "text", text: "done" }], isError: false },
        { role: "tool", callId: "b", parts: [{ kind: "text", text: "ok" }], isError: false },
      ],
    });
  });

  it("reads images", () => {
    const content = [{ type: "input_image", image_url: "data:image/webp;base64,AAAA", detail: "auto" }];
    expect(readItems({ role: "user", content }).messages).toEqual([
      {
        role: "user",
        parts: [{ kind: "image", mediaType: "image/webp", data: "AAAA" }],
      },
    ]);
  });

  it("finds what it answered before by reference", () => {
    const references = ["rs_1", "msg_1", "fc_1"].map((id) => ({ type: "item_reference", id }));
    expect(readItems(...references).messages).toEqual([iWill]);
  });

  it("finds it as well when the reference does not say what it is", () => {
    expect(readItems({ id: "msg_1" }).messages).toEqual([{ role: "assistant", text: "I will.", calls: [] }]);
  });

  it("goes on without an answer that is not kept any more, and says so to the agent", () => {
    expect(readItems({ type: "item_reference", id: "msg_0" }, { type: "item_reference", id: "rs_0" }).messages).toEqual(
      [{ role: "assistant", text: "[An earlier answer that is not kept any more]", calls: [] }],
    );
  });

  it("puts a continued response before the new input, and keeps only what is new", () => {
    const { request, added } = read({
      previous_response_id: "resp_1",
      instructions: "Hurry.",
      input: [{ type: "function_call_output", call_id: "c1", output: "text" }],
    });
    const result = { role: "tool", callId: "c1", parts: [{ kind: "text", text: "text" }], isError: false };
    expect([request.system, request.messages, added.messages]).toEqual([
      "Hurry.\n\nBe brief.",
      [...earlier.messages, iWill, result],
      [result],
    ]);
  });

  it.each([
    ["unknown", "me", "resp_x"],
    ["someone else's", "you", "resp_1"],
  ])("does not continue a response that is %s", (_, owner, previous_response_id) => {
    const error = thrownBy(() => read({ previous_response_id, input: "Hi" }, {}, owner));
    expect([error.code, error.message]).toEqual([
      "previous-response-not-found",
      `There is no response "${previous_response_id}" any more`,
    ]);
  });

  it("offers what the client runs, alone and in namespaces, and names what only OpenAI could run", () => {
    const { tools, unavailableTools, toolChoice } = read({
      input: "Hi",
      tools: [
        { type: "function", name: "read", description: "Reads", parameters: { type: "object" }, strict: true },
        {
          type: "namespace",
          name: "mcp__docs",
          description: "Docs",
          tools: [{ type: "function", name: "find", parameters: null }],
        },
        { type: "web_search", external_web_access: false },
        { type: "shell", environment: { type: "container_auto" } },
        { type: "tool_search" },
      ],
      tool_choice: { type: "function", name: "find" },
    }).request;
    expect({ tools, unavailableTools, toolChoice }).toEqual({
      tools: [
        { name: "read", description: "Reads", inputSchema: { type: "object" } },
        { name: "find", namespace: "mcp__docs", inputSchema: { type: "object", properties: {} } },
      ],
      unavailableTools: ["web_search", "shell"],
      toolChoice: { name: "find" },
    });
  });

  it("offers tools that OpenAI defines and the client runs, and custom ones with their grammar", () => {
    const { tools } = read({
      input: "Hi",
      tools: [
        { type: "local_shell" },
        { type: "shell", environment: { type: "local" } },
        { type: "apply_patch" },
        { type: "custom", name: "sum", format: { type: "grammar", syntax: "regex", definition: "[0-9]+" } },
        { type: "namespace", name: "notes", tools: [{ type: "custom", name: "add" }] },
      ],
    }).request;
    const inputOf = ({ properties = {} }: { properties?: object }) => Object.keys(properties);
    expect(
      tools.map(({ name, namespace, form, inputSchema }) => ({ name, namespace, form, inputs: inputOf(inputSchema) })),
    ).toEqual([
      {
        name: "local_shell",
        form: "local_shell",
        inputs: ["command", "working_directory", "env", "timeout_ms", "user"],
      },
      { name: "shell", form: "shell", inputs: ["commands", "timeout_ms", "max_output_length"] },
      { name: "apply_patch", form: "apply_patch", inputs: ["type", "path", "diff"] },
      { name: "sum", form: "custom", inputs: ["input"] },
      { name: "add", namespace: "notes", form: "custom", inputs: ["input"] },
    ]);
    expect(JSON.stringify(tools[3]?.inputSchema)).toContain("It must match this regex grammar:\\n[0-9]+");
  });

  it("reads the calls of such tools, and what came of them", () => {
    const { messages } = readItems(
      {
        type: "local_shell_call",
        id: "x",
        call_id: "a",
        action: { type: "exec", command: ["ls"] },
        status: "completed",
      },
      { type: "local_shell_call_output", id: "a", output: "one.txt" },
      { type: "shell_call", call_id: "b", action: { commands: ["ls", "false"] } },
      {
        type: "shell_call_output",
        call_id: "b",
        output: [
          { stdout: "one.txt", stderr: "", outcome: { type: "exit", exit_code: 0 } },
          { stdout: "", stderr: "late", outcome: { type: "timeout" } },
        ],
      },
      { type: "apply_patch_call", call_id: "c", operation: { type: "delete_file", path: "one.txt" } },
      { type: "apply_patch_call_output", call_id: "c", status: "failed", output: "No such file" },
    );
    const result = (callId: string, text: string, isError = false) => ({
      role: "tool",
      callId,
      parts: [{ kind: "text", text }],
      isError,
    });
    expect(messages).toEqual([
      {
        role: "assistant",
        text: "",
        calls: [{ callId: "a", name: "local_shell", input: { type: "exec", command: ["ls"] } }],
      },
      result("a", "one.txt"),
      { role: "assistant", text: "", calls: [{ callId: "b", name: "shell", input: { commands: ["ls", "false"] } }] },
      result("b", "one.txt\nExit code 0\n\nlate\nIt took too long and was ended."),
      {
        role: "assistant",
        text: "",
        calls: [{ callId: "c", name: "apply_patch", input: { type: "delete_file", path: "one.txt" } }],
      },
      result("c", "No such file", true),
    ]);
  });
});

const item = (value: unknown) => ({ input: [value] });
const user = (content: unknown) => item({ role: "user", content });
const withTool = (tool: unknown) => ({ input: "Hi", tools: [tool] });

const fn = (name: string) => ({ type: "function", name });
const group = (name: string, ...tools: unknown[]) => ({ type: "namespace", name, tools });

it("takes the choice of a tool by its name, by its type, and of several", () => {
  const tools = [fn("read"), { type: "shell" }, { type: "custom", name: "note" }];
  const choiceOf = (tool_choice: unknown) => {
    const { toolChoice, callableTools } = read({ input: "Hi", tools, tool_choice }).request;
    return { toolChoice, callableTools };
  };
  expect([
    choiceOf({ type: "custom", name: "note" }),
    choiceOf({ type: "shell" }),
    choiceOf({ type: "allowed_tools", mode: "auto", tools: [fn("read"), { type: "shell" }] }),
  ]).toEqual([
    { toolChoice: { name: "note" }, callableTools: undefined },
    { toolChoice: { name: "shell" }, callableTools: undefined },
    { toolChoice: "auto", callableTools: ["read", "shell"] },
  ]);
});

it("lets two namespaces offer a tool of one name, but none offer it twice", () => {
  const { tools } = read({ input: "Hi", tools: [fn("a"), group("g", fn("a")), group("h", fn("a"))] }).request;
  expect(tools.map(({ name, namespace }) => ({ name, namespace }))).toEqual([
    { name: "a" },
    { name: "a", namespace: "g" },
    { name: "a", namespace: "h" },
  ]);
});

const badRequests: readonly (readonly [unknown, string])[] = [
  [undefined, "The body must be"],
  [null, "The body must be"],
  [[], "The body must be"],
  ["Hi", "The body must be"],
  [false, "The body must be"],
  [{}, "input: must be a string or a list of items"],
  [{ input: null }, "input: "],
  [{ input: 7 }, "input: "],
  [{ input: {} }, "input: "],
  [{ input: [] }, "input: "],
  [{ input: ["Hi"] }, "input: "],
  [{ input: [null] }, "input: "],
  [item({}), "input[0]: must have a type or a role"],
  [item({ content: "x" }), "input[0]: must have a type or a role"],
  [item({ type: 7 }), "input: "],
  [item({ role: "robot", content: "x" }), "input[0].role: must be one of"],
  [item({ role: "tool", content: "x" }), "input[0].role: must be one of"],
  [item({ type: "message", content: "x" }), "input[0].role: "],
  [item({ role: "user" }), "input[0].content: is missing"],
  [item({ role: "assistant", content: "x" }), "input: at least one item must be from the user"],
  [
    {
      input: [
        { role: "developer", content: "x" },
        { role: "assistant", content: "y" },
      ],
    },
    "input: at least one item must be from the user",
  ],
  [item({ role: "assistant", content: "x" }), "input: at least one item must be from the user"],
  [item({ type: "reasoning", summary: [] }), "input: at least one item must be from the user"],
  [user(null), "input[0].content: is missing"],
  [user(7), "input[0].content: must be a string or a list of parts"],
  [user([7]), "input[0].content"],
  [user([{ text: "x" }]), "input[0].content"],
  [user([{ type: "input_text" }]), "input[0].content[0].text: must be a string"],
  [item({ type: "function_call" }), "input[0].call_id: "],
  [item({ type: "function_call", call_id: "a" }), "input[0].name: "],
  [item({ type: "function_call", call_id: "a", name: "x" }), "input[0].arguments: "],
  [item({ type: "function_call", call_id: "a", name: "x", arguments: {} }), "input[0].arguments: must be a string"],
  [item({ type: "function_call", call_id: "", name: "x", arguments: "" }), "input[0].call_id: must not be empty"],
  [item({ type: "custom_tool_call", call_id: "a", name: "x" }), "input[0].input: "],
  [item({ type: "function_call_output", output: "x" }), "input[0].call_id: "],
  [item({ type: "function_call_output", call_id: "a", output: 7 }), "input[0].output: must be a string or a list"],
  [item({ type: "item_reference" }), "input[0].id: "],
  [item({ type: "item_reference", id: 7 }), "input[0].id: must be a string"],
  [{ input: "Hi", model: 7 }, "model: must be a string"],
  [{ input: "Hi", instructions: ["x"] }, "instructions: must be a string"],
  [{ input: "Hi", stream: "true" }, "stream: must be true or false"],
  [{ input: "Hi", store: "no" }, "store: must be true or false"],
  [{ input: "Hi", background: true, store: false }, "background: a response that nobody waits for has to be stored"],
  [{ input: "Hi", conversation: "conv_1" }, "conversation: stored"],
  [{ input: "Hi", prompt: { id: "p" } }, "prompt: stored"],
  [{ input: "Hi", max_output_tokens: -1 }, "max_output_tokens: must be more than 0"],
  [{ input: "Hi", max_output_tokens: "1" }, "max_output_tokens: must be a whole number"],
  [{ input: "Hi", previous_response_id: 7 }, "previous_response_id: must be a string"],
  [{ input: "Hi", reasoning: "high" }, "reasoning: must be an object"],
  [{ input: "Hi", reasoning: { effort: 1 } }, "reasoning.effort: must be a string"],
  [{ input: "Hi", text: "json" }, "text: must be an object"],
  [{ input: "Hi", metadata: "x" }, "metadata: must be an object"],
  [{ input: "Hi", include: "all" }, "include: must be a list"],
  [{ input: "Hi", include: ["message.output_text.logprobs"] }, "top_logprobs: "],
  [{ input: "Hi", top_logprobs: 2 }, "top_logprobs: "],
  [{ input: "Hi", temperature: "hot" }, "temperature: must be a number"],
  [{ input: "Hi", top_p: "all" }, "top_p: must be a number"],
  [{ input: "Hi", max_tool_calls: 1.5 }, "max_tool_calls: must be a whole number"],
  [{ input: "Hi", truncation: "middle" }, 'truncation: must be "auto" or "disabled"'],
  [{ input: "Hi", prompt_cache_key: 7 }, "prompt_cache_key: must be a string"],
  [{ input: "Hi", user: {} }, "user: must be a string"],
  [item({ type: "compaction" }), "input[0].encrypted_content: "],
  [item({ type: "compaction", encrypted_content: "x" }), "input[0].encrypted_content: was not made by this gateway"],
  [{ input: "Hi", modalities: ["audio"] }, "modalities: only text"],
  [{ input: "Hi", audio: {} }, "modalities: only text"],
  [{ input: "Hi", tools: "x" }, "tools: must be a list"],
  [{ input: "Hi", tools: [fn("a"), fn("a")] }, 'tools: the name "a" is used twice'],
  [{ input: "Hi", tools: [group("g", fn("a"), fn("a"))] }, 'tools: the name "a" is used twice'],
  [withTool(7), "tools[0]: must be an object"],
  [withTool({}), "tools[0].type: must be a string"],
  [withTool({ type: "function" }), "tools[0].name: must be a string"],
  [
    withTool({ type: "function", name: "x", parameters: { type: "string" } }),
    'tools: the input schema of "x" must be of type "object"',
  ],
  [withTool({ type: "namespace", name: "n" }), "tools[0].tools: must be a list"],
  [withTool({ type: "namespace", tools: [] }), "tools[0].name: must be a string"],
  [
    withTool({ type: "namespace", name: "n", tools: [{ type: "function" }] }),
    "tools[0].tools[0].name: must be a string",
  ],
  [{ input: "Hi", tool_choice: "any" }, "tool_choice: must be"],
  [{ input: "Hi", tool_choice: { type: "function", name: "x" } }, 'tool_choice: there is no tool "x"'],
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
