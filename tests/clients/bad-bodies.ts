/** A body that a door has to refuse, what it is, and the status it is refused with. */
export interface BadBody {
  readonly what: string;
  readonly body: unknown;
  readonly status: number;
}

export type DoorPath = "/v1/chat/completions" | "/v1/responses" | "/v1/messages";

const bad = (what: string, body: unknown, status = 400): BadBody => ({ what, body, status });

const scalars: readonly (readonly [string, unknown])[] = [
  ["a number", 7],
  ["true", true],
  ["a text", "x"],
  ["an object", { a: 1 }],
];

/** The same field with everything it may not be. */
function wrong(field: string, good: object, except: readonly string[] = []): readonly BadBody[] {
  return [...scalars, ["a list", [1]] as const]
    .filter(([name]) => !except.includes(name))
    .map(([name, value]) => bad(`${field}: ${name}`, { ...good, [field]: value }));
}

const user = { role: "user", content: "hello" };
const says = (...content: unknown[]) => ({ role: "user", content });

/** What no door takes, whatever is in it. */
const everywhere: readonly BadBody[] = [
  bad("a body that is a list", []),
  bad("a body that is null", null),
  bad("a body that is a text", "hello"),
  bad("a body that is a number", 7),
  bad("a body that is true", true),
  bad("an empty object", {}),
  bad("a model nobody knows", { model: "no-such-model", messages: [user], input: "hello" }, 404),
  bad(
    "a model nobody knows, in the field of OpenCode",
    { cursorModel: "nope-1", messages: [user], input: "hello" },
    404,
  ),
];

const chat = { model: "auto", messages: [user] };
const chatWith = (...messages: unknown[]) => ({ model: "auto", messages });
const chatTool = (tool: unknown) => ({ ...chat, tools: [tool] });
const read = { type: "function", function: { name: "read", parameters: { type: "object" } } };

const chatBodies: readonly BadBody[] = [
  ...wrong("messages", { model: "auto" }),
  ...wrong("model", chat, ["a text"]),
  ...wrong("cursorModel", chat, ["a text"]),
  ...wrong("stream", chat, ["true"]),
  ...wrong("stream_options", chat, ["an object"]),
  ...wrong("tools", chat),
  ...wrong("tool_choice", chat),
  ...wrong("max_tokens", chat, ["a number"]),
  ...wrong("max_completion_tokens", chat, ["a number"]),
  ...wrong("n", chat, ["a number"]),
  bad("no message at all", chatWith()),
  bad("a message that is a text", chatWith("hello")),
  bad("a message that is null", chatWith(null)),
  bad("a message without a role", chatWith({ content: "hello" })),
  bad("a role nobody knows", chatWith({ role: "robot", content: "hello" })),
  bad("a user who says nothing", chatWith({ role: "user" })),
  bad("a user who says null", chatWith({ role: "user", content: null })),
  bad("a content that is a number", chatWith({ role: "user", content: 7 })),
  bad("a part that is a text", chatWith(says("hello"))),
  bad("a part without a type", chatWith(says({ text: "hello" }))),
  bad("a part of a type nobody knows", chatWith(says({ type: "smell", text: "hello" }))),
  bad("a text part without text", chatWith(says({ type: "text" }))),
  bad("a sound", chatWith(says({ type: "input_audio", input_audio: { data: "", format: "wav" } }))),
  bad("a file", chatWith(says({ type: "file", file: { file_id: "f" } }))),
  bad("an image without an address", chatWith(says({ type: "image_url" }))),
  bad("an image in a file", chatWith(says({ type: "image_url", image_url: { url: "file:///etc/passwd" } }))),
  bad(
    "an image that is no base64",
    chatWith(says({ type: "image_url", image_url: { url: "data:image/png;base64,%" } })),
  ),
  bad(
    "an image that would have to be fetched",
    chatWith(says({ type: "image_url", image_url: { url: "https://a.test/a.png" } })),
  ),
  bad("an assistant alone", chatWith({ role: "assistant", content: "hello" })),
  bad("an assistant last", chatWith(user, { role: "assistant", content: "I begin" })),
  bad("a tool result without its call", chatWith(user, { role: "tool", content: "x" })),
  bad("a tool result with an empty call", chatWith(user, { role: "tool", tool_call_id: "", content: "x" })),
  bad("calls that are no list", chatWith(user, { role: "assistant", tool_calls: "x" }, user)),
  bad(
    "a call without an id",
    chatWith(user, { role: "assistant", tool_calls: [{ function: { name: "a", arguments: "{}" } }] }, user),
  ),
  bad("a call without a function", chatWith(user, { role: "assistant", tool_calls: [{ id: "c" }] }, user)),
  bad(
    "a call without a name",
    chatWith(user, { role: "assistant", tool_calls: [{ id: "c", function: { arguments: "{}" } }] }, user),
  ),
  bad(
    "arguments that are an object",
    chatWith(user, { role: "assistant", tool_calls: [{ id: "c", function: { name: "a", arguments: {} } }] }, user),
  ),
  bad("a tool that is a text", chatTool("read")),
  bad("a function tool without its function", chatTool({ type: "function" })),
  bad("a tool without a name", chatTool({ type: "function", function: {} })),
  bad("a tool with an empty name", chatTool({ type: "function", function: { name: "" } })),
  bad("a tool whose name is a page", chatTool({ type: "function", function: { name: "x".repeat(257) } })),
  bad("a tool whose schema is a text", chatTool({ type: "function", function: { name: "a", parameters: "x" } })),
  bad("a choice that names no function", { ...chat, tools: [read], tool_choice: { type: "function" } }),
  bad("a choice of a tool that is not offered", {
    ...chat,
    tools: [read],
    tool_choice: { type: "function", function: { name: "write" } },
  }),
  bad("no token at all to answer with", { ...chat, max_tokens: 0 }),
  bad("fewer than no tokens", { ...chat, max_completion_tokens: -1 }),
  bad("half a token", { ...chat, max_tokens: 1.5 }),
  bad("two answers", { ...chat, n: 2 }),
  bad("probabilities", { ...chat, logprobs: true }),
  bad("the five best probabilities", { ...chat, top_logprobs: 5 }),
  bad("a spoken answer", { ...chat, modalities: ["text", "audio"] }),
  bad("functions of the old form", { ...chat, functions: [{ name: "a" }] }),
];

const response = { model: "auto", input: "hello" };
const input = (...items: unknown[]) => ({ model: "auto", input: items });

const responseBodies: readonly BadBody[] = [
  ...wrong("input", { model: "auto" }, ["a text"]),
  ...wrong("model", response, ["a text"]),
  ...wrong("instructions", response, ["a text"]),
  ...wrong("stream", response, ["true"]),
  ...wrong("store", response, ["true"]),
  ...wrong("tools", response),
  ...wrong("reasoning", response, ["an object"]),
  ...wrong("max_output_tokens", response, ["a number"]),
  bad("no item at all", input()),
  bad("an item that is null", input(null)),
  bad("an item without type and role", input({ content: "hello" })),
  bad("a role nobody knows", input({ role: "robot", content: "hello" })),
  bad("a message without content", input({ role: "user" })),
  bad("a message whose content is a number", input({ role: "user", content: 7 })),
  bad("a text part without text", input(says({ type: "input_text" }))),
  bad("a file", input(says({ type: "input_file", file_id: "f" }))),
  bad("a stored image", input(says({ type: "input_image", file_id: "f" }))),
  bad(
    "an image that would have to be fetched",
    input(says({ type: "input_image", image_url: "https://a.test/a.png" })),
  ),
  bad("a call without a call id", input({ type: "function_call", name: "a", arguments: "{}" }, user)),
  bad("a call without a name", input({ type: "function_call", call_id: "c", arguments: "{}" }, user)),
  bad("a call without arguments", input({ type: "function_call", call_id: "c", name: "a" }, user)),
  bad("an output without its call", input(user, { type: "function_call_output", output: "x" })),
  bad("an output that is a number", input(user, { type: "function_call_output", call_id: "c", output: 7 })),
  bad("a reference without an id", input(user, { type: "item_reference" })),
  bad("an assistant last", input(user, { role: "assistant", content: "I begin" })),
  bad("a tool that is a text", { ...response, tools: ["read"] }),
  bad("a tool without a name", { ...response, tools: [{ type: "function" }] }),
  bad("a namespace without tools", { ...response, tools: [{ type: "namespace", name: "a" }] }),
  bad("a choice of a tool that is not offered", { ...response, tool_choice: { type: "function", name: "write" } }),
  bad("a response that runs on its own and is not stored", { ...response, background: true, store: false }),
  bad("a temperature that is a text", { ...response, temperature: "hot" }),
  bad("a truncation nobody knows", { ...response, truncation: "middle" }),
  bad("a stored conversation", { ...response, conversation: "conv_1" }),
  bad("a stored prompt", { ...response, prompt: { id: "p" } }),
  bad("probabilities", { ...response, top_logprobs: 3 }),
  bad("a response nobody gave", { ...response, previous_response_id: "resp_unknown" }),
  bad("a compaction that was not made here", input(user, { type: "compaction", encrypted_content: "AAAA" })),
];

const message = { model: "auto", max_tokens: 100, messages: [user] };
const messages = (...list: unknown[]) => ({ model: "auto", max_tokens: 100, messages: list });

const messageBodies: readonly BadBody[] = [
  ...wrong("messages", { model: "auto", max_tokens: 100 }),
  ...wrong("model", message, ["a text"]),
  ...wrong("system", message, ["a text"]),
  ...wrong("max_tokens", message, ["a number"]),
  ...wrong("stream", message, ["true"]),
  ...wrong("tools", message),
  ...wrong("tool_choice", message),
  bad("no message at all", messages()),
  bad("a message that is null", messages(null)),
  bad("a role nobody knows", messages({ role: "robot", content: "hello" })),
  bad("a message without content", messages({ role: "user" })),
  bad("a content that is null", messages({ role: "user", content: null })),
  bad("a block without a type", messages(says({ text: "hello" }))),
  bad("a block nobody knows", messages(says({ type: "hologram" }))),
  bad("a text block without text", messages(says({ type: "text" }))),
  bad(
    "a PDF",
    messages(says({ type: "document", source: { type: "base64", media_type: "application/pdf", data: "AAAA" } })),
  ),
  bad("an image without a source", messages(says({ type: "image" }))),
  bad("an image in a file", messages(says({ type: "image", source: { type: "url", url: "file:///etc/passwd" } }))),
  bad(
    "an image that is none",
    messages(says({ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } })),
  ),
  bad("a result without its call", messages(says({ type: "tool_result", content: "x" }))),
  bad(
    "a call without an id",
    messages(user, { role: "assistant", content: [{ type: "tool_use", name: "a", input: {} }] }, user),
  ),
  bad(
    "a call without a name",
    messages(user, { role: "assistant", content: [{ type: "tool_use", id: "c", input: {} }] }, user),
  ),
  bad("an assistant alone", messages({ role: "assistant", content: "hello" })),
  bad("an assistant last", messages(user, { role: "assistant", content: "I begin" })),
  bad("no token at all to answer with", { ...message, max_tokens: 0 }),
  bad("a tool without a name", { ...message, tools: [{ input_schema: { type: "object" } }] }),
  bad("two tools of one name", {
    ...message,
    tools: [1, 2].map(() => ({ name: "a", input_schema: { type: "object" } })),
  }),
  bad("a choice nobody knows", { ...message, tool_choice: { type: "perhaps" } }),
  bad("a choice of a tool that is not offered", { ...message, tool_choice: { type: "tool", name: "write" } }),
];

export const badBodies: Readonly<Record<DoorPath, readonly BadBody[]>> = {
  "/v1/chat/completions": [...everywhere, ...chatBodies],
  "/v1/responses": [...everywhere, ...responseBodies],
  "/v1/messages": [...everywhere, ...messageBodies],
};

/** Bodies that are not even JSON, or not JSON that can be looked at. */
export const badTexts: readonly { readonly what: string; readonly text: string | Uint8Array }[] = [
  { what: "nothing", text: "" },
  { what: "half an object", text: '{"model":"auto"' },
  { what: "JavaScript", text: "{model:'auto'}" },
  { what: "a comma too many", text: '{"model":"auto",}' },
  { what: "two objects", text: "{}{}" },
  { what: "a form", text: "model=auto&messages=hello" },
  { what: "not a number", text: '{"max_tokens":NaN}' },
  { what: "a text that does not end", text: '{"model":"au' },
  { what: "bytes that are no text", text: new Uint8Array([0xff, 0xfe, 0x00, 0x7b]) },
  { what: "nests without end", text: `{"messages":${"[".repeat(50_000)}${"]".repeat(50_000)}}` },
];
