import { expect, it } from "vitest";
import type { DoorRequest } from "../door-request.ts";
import { parseMessagesRequest } from "./request.ts";

const hello = { role: "user", content: "hello" };
const plain: DoorRequest = {
  door: "anthropic",
  isWhole: true,
  requestedModel: { model: "m", cursorModel: undefined, effort: undefined, thinking: undefined },
  system: "",
  messages: [{ role: "user", parts: [{ kind: "text", text: "hello" }] }],
  tools: [],
  unavailableTools: [],
  toolChoice: "auto",
  callableTools: undefined,
  parallelCalls: true,
  maxOutputTokens: 9,
  stopSequences: [],
  ignored: [],
  sampling: '[["max_tokens",9]]',
  sessionKey: undefined,
  workspace: undefined,
  owner: undefined,
};

function parse(body: object, headers = {}) {
  return parseMessagesRequest({ model: "m", max_tokens: 9, messages: [hello], ...body }, headers).request;
}

it("reads the smallest request", () => {
  expect(parseMessagesRequest({ model: "m", max_tokens: 9, messages: [hello] }, {})).toEqual({
    request: plain,
    stream: false,
  });
});

it.each([
  ["true", true, true],
  ["false", false, false],
  ["null", null, false],
])("streams only when asked (%s)", (_name, stream, expected) => {
  expect(parseMessagesRequest({ messages: [hello], stream }, {}).stream).toBe(expected);
});

it("reads what Claude Code sends: billing block, reminders between messages, effort, session", () => {
  const request = parse(
    {
      system: [
        { type: "text", text: "x-anthropic-billing-header: cc_version=2.1;" },
        { type: "text", text: "You are a coding agent.", cache_control: { type: "ephemeral" } },
      ],
      messages: [
        { role: "user", content: [{ type: "text", text: "hello", cache_control: { type: "ephemeral" } }] },
        { role: "system", content: "Today is Sunday." },
        { role: "system", content: [{ type: "text", text: "Be brief." }] },
      ],
      thinking: { type: "adaptive" },
      output_config: { effort: "high" },
      context_management: { edits: [{ type: "clear_thinking" }] },
      metadata: { user_id: '{"device_id":"d","session_id":"s-1"}' },
      max_tokens: 32_000,
    },
    { "anthropic-beta": "a,b,c", "anthropic-version": "2099-01-01" },
  );
  expect(request).toEqual({
    ...plain,
    ignored: ["context_management"],
    requestedModel: { ...plain.requestedModel, effort: "high", thinking: true },
    system: "You are a coding agent.\n\nToday is Sunday.\n\nBe brief.",
    maxOutputTokens: 32_000,
    sampling: '[["max_tokens",32000],["thinking",{"type":"adaptive"}],["output_config",{"effort":"high"}]]',
    sessionKey: "s-1",
  });
});

it("asks the agent for the format that Claude Code wants a title in", () => {
  const schema = { type: "object", properties: { title: { type: "string" } }, required: ["title"] };
  const { system } = parse({
    system: "Name the session.",
    output_config: { effort: "high", format: { type: "json_schema", schema } },
  });
  expect(system).toBe(
    `Name the session.\n\nAnswer with JSON and nothing else: no code fence, no words. It must match this JSON Schema:\n${JSON.stringify(schema)}`,
  );
});

it.each([
  ["enabled, with a budget above the limit", { type: "enabled", budget_tokens: 99_999 }, true],
  ["adaptive", { type: "adaptive" }, true],
  ["of a kind unknown to us", { type: "between_tools" }, true],
  ["disabled", { type: "disabled" }, false],
  ["null", null, undefined],
])("takes a thinking requestedModel that is %s", (_name, thinking, expected) => {
  expect(parse({ thinking }).requestedModel.thinking).toBe(expected);
});

it("turns a tool loop into messages, in order", () => {
  const { messages } = parse({
    messages: [
      hello,
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "" },
          { type: "redacted_thinking", data: "x" },
          { type: "text", text: "Let me " },
          { type: "text", text: "look." },
          { type: "tool_use", id: "c1", name: "read", input: { path: "a" } },
          { type: "tool_use", id: "c2", name: "now", input: {} },
          { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "text of a", is_error: false },
          {
            type: "tool_result",
            tool_use_id: "c2",
            is_error: true,
            content: [
              { type: "text", text: "no clock" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
              { type: "tool_reference", tool_name: "clock" },
            ],
          },
          { type: "tool_result", tool_use_id: "c3" },
          { type: "text", text: "go on" },
        ],
      },
    ],
  });
  expect(messages).toEqual([
    { role: "user", parts: [{ kind: "text", text: "hello" }] },
    {
      role: "assistant",
      text: "Let me look.",
      calls: [
        { callId: "c1", name: "read", input: { path: "a" } },
        { callId: "c2", name: "now", input: {} },
      ],
    },
    { role: "tool", callId: "c1", parts: [{ kind: "text", text: "text of a" }], isError: false },
    {
      role: "tool",
      callId: "c2",
      parts: [
        { kind: "text", text: "no clock" },
        { kind: "image", mediaType: "image/png", data: "AAAA" },
        { kind: "text", text: "The tool `clock` can be called now." },
      ],
      isError: true,
    },
    { role: "tool", callId: "c3", parts: [], isError: false },
    { role: "user", parts: [{ kind: "text", text: "go on" }] },
  ]);
});

it("keeps what the user said before a result in its place", () => {
  const content = [
    { type: "text", text: "first" },
    { type: "tool_result", tool_use_id: "c1", content: "second" },
  ];
  expect(parse({ messages: [{ role: "user", content }] }).messages.map(({ role }) => role)).toEqual(["user", "tool"]);
});

it("takes an image of eight megabytes", () => {
  const data = "A".repeat(8 * 1024 * 1024);
  const content = [{ type: "image", source: { type: "base64", media_type: "image/png", data } }];
  expect(parse({ messages: [{ role: "user", content }] }).messages).toHaveLength(1);
});

const schema = { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" };
const read = { name: "read", description: "Reads", input_schema: schema, eager_input_streaming: true };
const search = { type: "web_search_20260318", name: "web_search", max_uses: 5 };

it("lists MCP servers that Anthropic's API would call among the tools that nobody here can run", () => {
  const { tools, unavailableTools } = parse({
    mcp_servers: [{ type: "url", url: "https://mcp.example", name: "wiki" }],
  });
  expect({ tools, unavailableTools }).toEqual({ tools: [], unavailableTools: ["mcp_servers.wiki"] });
});

it("offers the client's tools with their schemas untouched, and names those that only Anthropic runs", () => {
  const own = [read, { type: "custom", name: "now", input_schema: schema, cache_control: {} }, { name: "bare" }];
  const { tools, unavailableTools } = parse({
    tools: [
      ...own,
      search,
      { type: "code_execution_20260120", name: "code_execution" },
      { type: "computer_toolset_20260801" },
      { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" },
    ],
  });
  expect({ tools, unavailableTools }).toEqual({
    tools: [
      { name: "read", description: "Reads", inputSchema: schema },
      { name: "now", inputSchema: schema },
      { name: "bare", inputSchema: { type: "object" } },
    ],
    unavailableTools: ["web_search_20260318", "code_execution_20260120", "computer_toolset_20260801"],
  });
});

it.each([
  [{ type: "bash_20241022", name: "bash" }, "bash", ["command", "restart"]],
  [
    { type: "text_editor_20250124", name: "str_replace_editor" },
    "str_replace_editor",
    ["command", "path", "view_range", "file_text", "old_str", "new_str", "insert_line"],
  ],
  [
    { type: "text_editor_20250728", name: "str_replace_based_edit_tool", max_characters: 9 },
    "str_replace_based_edit_tool",
    ["command", "path", "view_range", "file_text", "old_str", "new_str", "insert_line", "insert_text"],
  ],
  [
    { type: "memory_20250818", name: "memory" },
    "memory",
    [
      "command",
      "path",
      "view_range",
      "file_text",
      "old_str",
      "new_str",
      "insert_line",
      "insert_text",
      "old_path",
      "new_path",
    ],
  ],
  [
    { type: "computer_20251124", name: "computer", display_width_px: 800, display_height_px: 600 },
    "computer",
    ["action", "coordinate", "start_coordinate", "text", "scroll_direction", "scroll_amount", "duration", "region"],
  ],
  [{ type: "bash_20991231", name: "sh" }, "sh", ["command", "restart"]],
])("offers a tool that Anthropic defines and the client runs with its known schema: %j", (tool, name, inputs) => {
  const { tools, unavailableTools } = parse({ tools: [tool] });
  const offered = tools.map((one) => ({
    name: one.name,
    inputs: Object.keys(Object(one.inputSchema["properties"])),
  }));
  expect({ offered, unavailableTools }).toEqual({ offered: [{ name, inputs }], unavailableTools: [] });
});

it.each([
  ["auto", { type: "auto", disable_parallel_tool_use: true }, "auto"],
  ["any", { type: "any" }, "required"],
  ["none", { type: "none" }, "none"],
  ["a tool of the client's", { type: "tool", name: "read" }, { name: "read" }],
  ["null", null, "auto"],
])("understands the choice of %s", (_name, tool_choice, expected) => {
  expect(parse({ tools: [read, search], tool_choice }).toolChoice).toEqual(expected);
});

it("reads whether calls may come together", () => {
  const parallelOf = (tool_choice: unknown) => parse({ tools: [read], tool_choice }).parallelCalls;
  expect({
    byDefault: parallelOf(null),
    whenDisabled: parallelOf({ type: "any", disable_parallel_tool_use: true }),
  }).toEqual({ byDefault: true, whenDisabled: false });
});

it("takes the workspace and the owner of tools from our own headers", () => {
  const { workspace, owner } = parse({}, { "x-caret-workspace": "/w", "x-caret-tools": "agent" });
  expect([workspace, owner]).toEqual(["/w", "agent"]);
});

it("takes OpenCode's exact model from the body", () => {
  expect(parse({ cursorModel: "gpt-5-high" }).requestedModel.cursorModel).toBe("gpt-5-high");
});
