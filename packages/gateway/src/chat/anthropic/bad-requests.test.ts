import { fastify } from "fastify";
import { expect, it } from "vitest";
import { setRequestContext } from "../../http/request-context.ts";
import { scriptedConversations, telling } from "../testing/scripted-conversations.ts";
import { anthropicDoor } from "./route.ts";

const conversations = scriptedConversations(telling());
const app = fastify({ bodyLimit: 4096 });
app.addHook("onRequest", async (request) => {
  setRequestContext(request, {
    caller: { tokenName: "t", workspace: undefined },
    signal: new AbortController().signal,
  });
});
await app.register(
  anthropicDoor({
    conversations: conversations,
    now: () => 5000,
    newId: () => "1",
    showActivity: "none",
    keepAliveMs: 60_000,
  }),
);

const user = { role: "user", content: "hello" };
const said = (...content: unknown[]) => ({ messages: [{ role: "user", content }] });
const answered = (...content: unknown[]) => ({ messages: [user, { role: "assistant", content }] });
const result = (fields: object) => said({ type: "tool_result", tool_use_id: "c1", ...fields });
const search = { type: "web_search_20250305", name: "web_search" };
const onlySearch = { messages: [user], tools: [search], tool_choice: { type: "tool", name: "web_search" } };
const tools = (...list: unknown[]) => ({ messages: [user], tools: list });
const read = { name: "read", input_schema: { type: "object" } };

const bodies: readonly (readonly [string, unknown])[] = [
  ["no messages", {}],
  ["messages that are null", { messages: null }],
  ["messages that are a text", { messages: "hello" }],
  ["messages that are an object", { messages: { 0: user } }],
  ["an empty list of messages", { messages: [] }],
  ["a message that is a text", { messages: ["hello"] }],
  ["a message that is null", { messages: [null] }],
  ["a message without a role", { messages: [{ content: "hello" }] }],
  ["a message without content", { messages: [{ role: "user" }] }],
  ["a role nobody knows", { messages: [{ role: "robot", content: "hello" }] }],
  ["a role that is a number", { messages: [{ role: 7, content: "hello" }] }],
  ["a content that is null", { messages: [{ role: "user", content: null }] }],
  ["a content that is a number", { messages: [{ role: "user", content: 7 }] }],
  ["a content that is one block", { messages: [{ role: "user", content: { type: "text", text: "x" } }] }],
  ["a list of texts as content", said("hello")],
  ["a block without a type", said({ text: "hello" })],
  ["a block whose type is a number", said({ type: 7 })],
  ["a text block without text", said({ type: "text" })],
  ["a text block whose text is null", said({ type: "text", text: null })],
  ["a text block whose text is a number", said({ type: "text", text: 7 })],
  ["a result without a call", said({ type: "tool_result", content: "x" })],
  ["a result of an empty call", result({ tool_use_id: "" })],
  ["a result whose call is a number", result({ tool_use_id: 7 })],
  ["a result that is a number", result({ content: 7 })],
  ["a result with a broken text", result({ content: [{ type: "text" }] })],
  ["a result that is_error perhaps", result({ is_error: "perhaps" })],
  ["an answer with a broken text", answered({ type: "text" })],
  ["a call without an id", answered({ type: "tool_use", name: "read", input: {} })],
  ["a call without a name", answered({ type: "tool_use", id: "c1", input: {} })],
  ["nothing but an answer", { messages: [{ role: "assistant", content: "hello" }] }],
  ["a system prompt that is a number", { messages: [user], system: 7 }],
  ["a system prompt of texts", { messages: [user], system: ["be brief"] }],
  ["a model that is a number", { messages: [user], model: 7 }],
  ["a model that is null", { messages: [user], model: null }],
  ["a limit of zero", { messages: [user], max_tokens: 0 }],
  ["a limit below zero", { messages: [user], max_tokens: -1 }],
  ["half a token", { messages: [user], max_tokens: 1.5 }],
  ["a limit that is a text", { messages: [user], max_tokens: "many" }],
  ["a stream that is a text", { messages: [user], stream: "yes" }],
  ["tools that are an object", { messages: [user], tools: {} }],
  ["a tool that is a text", tools("read")],
  ["a tool without a name", tools({ input_schema: {} })],
  ["a tool with an empty name", tools({ ...read, name: "" })],
  ["a tool with an endless name", tools({ ...read, name: "x".repeat(300) })],
  ["a tool whose schema is a text", tools({ ...read, input_schema: "object" })],
  ["a tool whose description is a list", tools({ ...read, description: [] })],
  ["the same tool twice", tools(read, read)],
  ["a choice that is a text", { ...tools(read), tool_choice: "auto" }],
  ["a choice nobody knows", { ...tools(read), tool_choice: { type: "maybe" } }],
  ["the choice of a tool that only Anthropic runs", onlySearch],
  ["the choice of a tool that is not offered", { ...tools(read), tool_choice: { type: "tool", name: "write" } }],
  ["the choice of a tool without a name", { ...tools(read), tool_choice: { type: "tool" } }],
  ["an empty stop sequence", { messages: [user], stop_sequences: [""] }],
  ["a stop sequence that is a number", { messages: [user], stop_sequences: [7] }],
  ["a thinking that is a flag", { messages: [user], thinking: true }],
  ["a thinking without a type", { messages: [user], thinking: {} }],
  ["an effort that is a number", { messages: [user], output_config: { effort: 7 } }],
  ["a metadata that is a text", { messages: [user], metadata: "me" }],
  ["a list", [user]],
  ["a text", "hello"],
  ["null", null],
];

it.each(bodies)("refuses %s with a 400 that names it", async (_name, body) => {
  for (const url of ["/v1/messages", "/v1/messages?beta=true", "/v1/messages/count_tokens"]) {
    const response = await app.inject({
      method: "POST",
      url,
      headers: { "content-type": "application/json" },
      payload: JSON.stringify(body),
    });
    expect([response.statusCode, response.json()]).toEqual([
      400,
      {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: expect.stringMatching(/^\S.+: .+\.$/),
          code: "invalid-request",
        },
        request_id: expect.any(String),
      },
    ]);
  }
  expect(conversations.opened).toEqual([]);
});

it.each([
  ["broken JSON", '{"messages":[', "application/json", 400, "invalid_request_error"],
  ["an empty body", "", "application/json", 400, "invalid_request_error"],
  ["a form", "a=b", "application/x-www-form-urlencoded", 415, "invalid_request_error"],
  ["a body that is too large", JSON.stringify({ a: "x".repeat(5000) }), "application/json", 413, "request_too_large"],
])("refuses %s in Anthropic's shape", async (_name, payload, type, status, errorType) => {
  const response = await app.inject({
    method: "POST",
    url: "/v1/messages",
    headers: { "content-type": type },
    payload,
  });
  expect([response.statusCode, response.json().type, response.json().error.type]).toEqual([status, "error", errorType]);
});
