import type { DoorPath } from "./bad-bodies.ts";

/** A request as a client of today writes it, down to the fields that mean nothing to us. */
export interface RequestShape {
  readonly client: string;
  readonly door: DoorPath;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

const question = "What is 2 + 2?";
const parameters = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { path: { type: "string" }, limit: { type: "integer", maximum: 9_007_199_254_740_991 } },
  required: ["path"],
  additionalProperties: false,
};
const chatTool = (name: string) => ({ type: "function", function: { name, description: "Reads.", parameters } });
const messageTool = (name: string, extra = {}) => ({ name, description: "Reads.", input_schema: parameters, ...extra });
const responseTool = (name: string) => ({ type: "function", name, description: "Reads.", strict: false, parameters });
const cached = { cache_control: { type: "ephemeral" } };

const openCode: readonly RequestShape[] = [
  {
    client: "OpenCode, asking for a title",
    door: "/v1/chat/completions",
    headers: { "x-session-id": "ses_title", "x-session-affinity": "ses_title" },
    body: {
      model: "auto",
      max_tokens: 32_000,
      reasoning_effort: "low",
      messages: [
        { role: "system", content: "You are a title generator. You output ONLY a thread title." },
        { role: "user", content: "Generate a title for this conversation:\n" },
        { role: "user", content: `"${question}"` },
      ],
      stream: true,
      stream_options: { include_usage: true },
    },
  },
  {
    client: "OpenCode by chat completions, after a call",
    door: "/v1/chat/completions",
    headers: { "x-session-id": "ses_chat" },
    body: {
      model: "auto",
      max_tokens: 32_000,
      gw_custom_option: { anything: true },
      messages: [
        { role: "system", content: "You are a coding agent." },
        { role: "user", content: '"Look into a.txt"' },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: '{"path":"a.txt"}' } }],
        },
        { role: "tool", tool_call_id: "call_1", content: "apples" },
        { role: "assistant", content: "There are apples." },
        { role: "user", content: question },
      ],
      tools: [chatTool("read"), chatTool("write")],
      tool_choice: "auto",
      stream: true,
      stream_options: { include_usage: true },
    },
  },
  {
    client: "OpenCode by responses",
    door: "/v1/responses",
    headers: { "x-session-id": "ses_responses" },
    body: {
      model: "auto",
      input: [
        { role: "system", content: "You are a coding agent." },
        { role: "user", content: [{ type: "input_text", text: question }] },
      ],
      store: false,
      prompt_cache_key: "ses_responses",
      max_output_tokens: 32_000,
      tools: [responseTool("read")],
      tool_choice: "auto",
      stream: true,
    },
  },
  {
    client: "OpenCode by messages",
    door: "/v1/messages",
    headers: { "anthropic-version": "2023-06-01", "x-session-id": "ses_messages" },
    body: {
      model: "auto",
      max_tokens: 32_000,
      system: [{ type: "text", text: "You are a coding agent.", ...cached }],
      messages: [{ role: "user", content: [{ type: "text", text: question, ...cached }] }],
      tools: [messageTool("read")],
      tool_choice: { type: "auto" },
      stream: true,
    },
  },
];

const pi: readonly RequestShape[] = [
  {
    client: "pi by chat completions, for a model that reasons",
    door: "/v1/chat/completions",
    body: {
      model: "auto",
      messages: [
        { role: "developer", content: "You are pi." },
        { role: "user", content: [{ type: "text", text: question }] },
      ],
      stream: true,
      stream_options: { include_usage: true },
      store: false,
      max_completion_tokens: 8_000,
      reasoning_effort: "medium",
      tools: [chatTool("read")],
    },
  },
  {
    client: "pi by responses",
    door: "/v1/responses",
    headers: { session_id: "pi-1", "x-client-request-id": "pi-1" },
    body: {
      model: "auto",
      input: [
        { role: "developer", content: "You are pi." },
        { role: "user", content: [{ type: "input_text", text: question }] },
      ],
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "medium", summary: "auto" },
      prompt_cache_key: "pi-1",
      store: false,
      stream: true,
      tools: [responseTool("read")],
    },
  },
  {
    client: "pi by messages",
    door: "/v1/messages",
    headers: { "anthropic-version": "2023-06-01", "anthropic-beta": "fine-grained-tool-streaming-2025-05-14" },
    body: {
      model: "auto",
      max_tokens: 8_000,
      thinking: { type: "enabled", budget_tokens: 4_096, display: "summarized" },
      system: [{ type: "text", text: "You are pi.", ...cached }],
      messages: [
        { role: "user", content: "Look into a.txt" },
        { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: { path: "a.txt" } }] },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "toolu_1",
              is_error: false,
              content: [{ type: "text", text: "apples" }],
            },
          ],
        },
        { role: "assistant", content: [{ type: "text", text: "There are apples." }] },
        { role: "user", content: [{ type: "text", text: question, ...cached }] },
      ],
      tools: [messageTool("read", { eager_input_streaming: true })],
      stream: true,
    },
  },
];

const claudeCode: RequestShape = {
  client: "Claude Code",
  door: "/v1/messages",
  query: "?beta=true",
  headers: {
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27",
    "x-claude-code-session-id": "3b0c",
    "x-app": "cli",
  },
  body: {
    model: "claude-sonnet-4-5",
    max_tokens: 32_000,
    system: [
      { type: "text", text: "x-anthropic-billing-header: cc_version=2; cc_entrypoint=cli;" },
      { type: "text", text: "You are Claude Code.", ...cached },
    ],
    messages: [
      { role: "user", content: [{ type: "text", text: "<system-reminder>Be brief.</system-reminder>" }] },
      { role: "system", content: "The date is today." },
      { role: "system", content: [{ type: "text", text: "The platform is linux." }] },
      { role: "user", content: [{ type: "text", text: question, ...cached }] },
    ],
    tools: [messageTool("Read", cached), { type: "web_search_20250305", name: "web_search", max_uses: 8 }],
    thinking: { type: "adaptive" },
    output_config: { effort: "medium" },
    context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
    metadata: { user_id: JSON.stringify({ device_id: "d", account_uuid: "", session_id: "3b0c" }) },
    stream: true,
  },
};

const codex: RequestShape = {
  client: "Codex",
  door: "/v1/responses",
  headers: { "session-id": "codex-1", "thread-id": "codex-1", originator: "codex_exec" },
  body: {
    model: "auto",
    input: [
      { type: "message", id: "msg_a", role: "developer", content: [{ type: "input_text", text: "You are Codex." }] },
      { type: "message", id: "msg_b", role: "user", content: [{ type: "input_text", text: "Look into a.txt" }] },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "AAAA" },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "exec_command", arguments: '{"path":"a.txt"}' },
      { type: "function_call_output", id: "fco_1", call_id: "call_1", output: "apples" },
      { type: "message", id: "msg_c", role: "assistant", content: [{ type: "output_text", text: "Apples." }] },
      { type: "message", id: "msg_d", role: "user", content: [{ type: "input_text", text: question }] },
    ],
    tools: [
      responseTool("exec_command"),
      { type: "namespace", name: "multi_agent", description: "Agents.", tools: [responseTool("spawn_agent")] },
      { type: "web_search", external_web_access: false },
      { type: "custom", name: "apply_patch", format: { type: "grammar", syntax: "lark", definition: "start: /.*/" } },
    ],
    tool_choice: "auto",
    parallel_tool_calls: true,
    reasoning: { summary: "auto" },
    store: false,
    stream: true,
    include: ["reasoning.encrypted_content"],
    prompt_cache_key: "codex-1",
    client_metadata: { installation: "x" },
  },
};

const others: readonly RequestShape[] = [
  {
    client: "Qwen Code by chat completions",
    door: "/v1/chat/completions",
    body: {
      model: "auto",
      max_tokens: 8_000,
      messages: [
        { role: "system", content: "You are Qwen Code." },
        { role: "user", content: [{ type: "text", text: "This is the context of our chat." }] },
        { role: "assistant", content: "Got it. Thanks for the context!" },
        { role: "user", content: [{ type: "text", text: "Look into a.txt" }] },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: '{"path":"a.txt"}' } }],
        },
        { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "apples" }] },
        { role: "user", content: [{ type: "text", text: question }] },
      ],
      tools: [chatTool("read")],
      stream: true,
      stream_options: { include_usage: true },
    },
  },
  {
    client: "Qwen Code by messages, with more thinking than answer",
    door: "/v1/messages",
    headers: { "anthropic-version": "2023-06-01" },
    body: {
      model: "auto",
      max_tokens: 8_000,
      thinking: { type: "enabled", budget_tokens: 32_000 },
      system: "You are Qwen Code.",
      messages: [{ role: "user", content: [{ type: "text", text: question }] }],
      tools: [messageTool("read")],
      stream: true,
    },
  },
  {
    client: "Continue",
    door: "/v1/chat/completions",
    body: {
      model: "auto",
      messages: [
        { role: "system", content: "You are Continue." },
        { role: "user", content: question },
      ],
      tools: [chatTool("Read")],
      stream: true,
      stream_options: { include_usage: true },
    },
  },
  {
    client: "Cline",
    door: "/v1/chat/completions",
    body: {
      model: "auto",
      messages: [
        { role: "system", content: "You are Cline." },
        { role: "user", content: [{ type: "text", text: `<task>${question}</task>` }] },
      ],
      tools: Array.from({ length: 25 }, (_, index) => chatTool(`tool_${index}`)),
      tool_choice: "auto",
      temperature: 0,
      stream: true,
    },
  },
  {
    client: "Droid by chat completions",
    door: "/v1/chat/completions",
    body: {
      model: "auto",
      temperature: 1,
      messages: [
        { role: "system", content: "You are Droid." },
        { role: "user", content: ["Be brief.", question].map((text) => ({ type: "text", text })) },
      ],
      tools: [chatTool("Read")],
      stream: true,
      stream_options: { include_usage: true },
    },
  },
  {
    client: "Droid by responses",
    door: "/v1/responses",
    body: {
      model: "auto",
      instructions: "You are Droid.",
      input: [{ role: "user", content: [{ type: "input_text", text: question }] }],
      tools: [responseTool("Read")],
      store: false,
      stream: true,
    },
  },
  {
    client: "OpenClaw by chat completions",
    door: "/v1/chat/completions",
    body: {
      model: "auto",
      max_completion_tokens: 8_192,
      messages: [
        { role: "system", content: "You are a personal assistant." },
        { role: "user", content: question },
      ],
      tools: [chatTool("read")],
      tool_choice: "auto",
      stream: true,
      stream_options: { include_usage: true },
    },
  },
  {
    client: "OpenClaw by messages",
    door: "/v1/messages",
    headers: { "anthropic-version": "2023-06-01" },
    body: {
      model: "auto",
      max_tokens: 8_192,
      system: [{ type: "text", text: "You are a personal assistant.", ...cached }],
      messages: [{ role: "user", content: question }],
      tools: [messageTool("read", cached)],
      stream: true,
    },
  },
  {
    client: "the AI SDK by responses, referring to an answer that we do not know",
    door: "/v1/responses",
    body: {
      model: "auto",
      input: [
        { role: "user", content: [{ type: "input_text", text: "hello" }] },
        { type: "item_reference", id: "msg_from-another-time" },
        { role: "user", content: [{ type: "input_text", text: question }] },
      ],
      stream: true,
    },
  },
];

export const requestShapes: readonly RequestShape[] = [...openCode, ...pi, claudeCode, codex, ...others];
