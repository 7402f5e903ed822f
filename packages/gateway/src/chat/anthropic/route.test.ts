import Anthropic, { type ClientOptions } from "@anthropic-ai/sdk";
import type { AgentEvent, Conversations } from "@caret/protocol";
import { type FastifyInstance, fastify } from "fastify";
import { afterEach, expect, it } from "vitest";
import { setRequestContext } from "../../http/request-context.ts";
import {
  type ScriptedConversations,
  saying,
  scriptedConversations,
  telling,
  tellingThenSilent,
} from "../testing/scripted-conversations.ts";
import { anthropicDoor } from "./route.ts";

const apps: FastifyInstance[] = [];

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

async function serve(conversations: Conversations, options: { keepAliveMs?: number; signal?: AbortSignal } = {}) {
  const { keepAliveMs = 60_000, signal = new AbortController().signal } = options;
  const app = fastify({ forceCloseConnections: true });
  apps.push(app);
  app.addHook("onRequest", async (request) => {
    setRequestContext(request, { caller: { tokenName: "t", workspace: "/w" }, signal });
  });
  await app.register(
    anthropicDoor({
      conversations: conversations,
      now: () => 5000,
      newId: () => "1",
      showActivity: "reasoning",
      keepAliveMs,
    }),
  );
  return { app, url: await app.listen({ host: "127.0.0.1", port: 0 }) };
}

async function client(conversations: Conversations, options: ClientOptions = {}): Promise<Anthropic> {
  const { url } = await serve(conversations);
  return new Anthropic({ baseURL: url, apiKey: "k", maxRetries: 0, ...options });
}

const ask = { model: "auto", max_tokens: 99, messages: [{ role: "user" as const, content: "hello" }] };
const failure: AgentEvent = {
  type: "turn-end",
  outcome: { kind: "failed", error: { code: "stalled", message: "Silent.", retryable: true, fix: "Again." } },
};
const [start, textStart, textDelta] = saying("Hal") as [AgentEvent, AgentEvent, AgentEvent];
const call: AgentEvent = {
  type: "tool-call",
  callId: "toolu_1",
  name: "read",
  kind: "read",
  input: { path: "a" },
  owner: "client",
};
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "auto",
  content: [{ type: "text", text: "Hello you" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 4 },
};

it("answers Anthropic's own client in one piece", async () => {
  const anthropic = await client(scriptedConversations(telling(...saying("Hello you"))));
  expect(await anthropic.messages.create(ask)).toMatchObject(message);
});

it("streams to Anthropic's own client", async () => {
  const anthropic = await client(scriptedConversations(telling(...saying("Hello you"))));
  const stream = anthropic.messages.stream(ask);
  const deltas: string[] = [];
  stream.on("text", (delta) => deltas.push(delta));
  expect([await stream.finalMessage(), deltas]).toMatchObject([message, ["Hello you"]]);
});

it("hands a call over to Anthropic's own client", async () => {
  const anthropic = await client(scriptedConversations(telling(start, call)));
  const { content, stop_reason } = await anthropic.messages.stream(ask).finalMessage();
  expect([content, stop_reason]).toMatchObject([
    [{ type: "tool_use", id: "toolu_1", name: "read", input: { path: "a" } }],
    "tool_use",
  ]);
});

it("has Anthropic's own tool runner send everything again, since no thread is kept", async () => {
  const conversations = scriptedConversations(async function* script(_signal, { messages }) {
    yield messages.length === 1 ? [start, call] : saying("done");
  });
  const anthropic = await client(conversations);
  const read = {
    name: "read",
    input_schema: { type: "object" as const },
    parse: (input: unknown) => input,
    run: () => "text",
  };
  const runner = anthropic.beta.messages.toolRunner({ ...ask, tools: [read] });
  const { content } = await runner.runUntilDone();
  expect({
    content,
    asked: conversations.opened.map(({ request }) => [request.messages.length, request.tools.length]),
  }).toEqual({
    content: [{ type: "text", text: "done" }],
    asked: [
      [1, 1],
      [3, 1],
    ],
  });
});

it("hands the request to the conversations, with the caller", async () => {
  const conversations = scriptedConversations(telling(...saying("ok")));
  const anthropic = await client(conversations, { defaultHeaders: { "x-claude-code-session-id": "s-1" } });
  await anthropic.beta.messages.create({ ...ask, betas: ["next-month"] });
  expect(conversations.opened.map(({ caller, request }) => [caller, request.sessionKey, request.messages])).toEqual([
    [{ tokenName: "t", workspace: "/w" }, "s-1", [{ role: "user", parts: [{ kind: "text", text: "hello" }] }]],
  ]);
});

it("counts tokens, and says that it estimates", async () => {
  const conversations = scriptedConversations(telling());
  const anthropic = await client(conversations);
  const { data, response } = await anthropic.messages.countTokens({ ...ask, system: "12345678" }).withResponse();
  expect([data.input_tokens, response.headers.get("x-caret-estimated"), conversations.opened]).toEqual([4, "true", []]);
});

it("marks a usage that upstream did not report", async () => {
  const anthropic = await client(
    scriptedConversations(telling(start, { type: "turn-end", outcome: { kind: "completed" } })),
  );
  const { data, response } = await anthropic.messages.create(ask).withResponse();
  expect([data.usage, response.headers.get("x-caret-estimated")]).toEqual([
    {
      input_tokens: 2,
      output_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_creation: null,
      inference_geo: null,
      output_tokens_details: null,
      server_tool_use: null,
      service_tier: "standard",
      speed: null,
      caret_estimated: true,
    },
    "true",
  ]);
});

it.each([true, false])("answers a turn that fails before its first word with a status (stream: %s)", async (stream) => {
  const anthropic = await client(scriptedConversations(telling(start, failure)));
  await expect(anthropic.messages.create({ ...ask, stream })).rejects.toMatchObject({
    status: 424,
    error: { type: "error", error: { type: "turn_failed", message: "Silent. Again.", code: "stalled" } },
  });
});

it("lets Anthropic's own client throw when a stream fails in the middle, and still ends it for others", async () => {
  const conversations = scriptedConversations(telling(start, textStart, textDelta, failure));
  const { url } = await serve(conversations);
  const anthropic = new Anthropic({ baseURL: url, apiKey: "k", maxRetries: 0 });
  await expect(anthropic.messages.stream(ask).finalMessage()).rejects.toThrow("Silent. Again.");
  expect(await streamedNames(url)).toEqual([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "error",
    "message_delta",
    "message_stop",
  ]);
});

it("ends the stream properly when following the turn breaks", async () => {
  const conversations = scriptedConversations(async function* broken() {
    yield [start, textStart, textDelta];
    throw new Error("a bug");
  });
  const { url } = await serve(conversations);
  expect((await streamedNames(url)).slice(-3)).toEqual(["error", "message_delta", "message_stop"]);
});

it("ends the stream properly when the server stops", async () => {
  const stopping = new AbortController();
  const { url } = await serve(scriptedConversations(tellingThenSilent(start, textStart, textDelta)), {
    signal: stopping.signal,
  });
  const response = await post(url);
  stopping.abort();
  expect(namesIn(await response.text()).slice(-3)).toEqual(["error", "message_delta", "message_stop"]);
});

it("pings while the agent is silent, before the first word too", async () => {
  const { url } = await serve(scriptedConversations(tellingThenSilent(start)), { keepAliveMs: 10 });
  const response = await post(url);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  while (!seen.includes("event: ping")) seen += (await reader?.read())?.value ?? "";
  await reader?.cancel();
  expect(namesIn(seen).slice(0, 2)).toEqual(["message_start", "ping"]);
});

it.each([true, false])("leaves the turn when the client goes away (stream: %s)", async (stream) => {
  const conversations: ScriptedConversations = scriptedConversations(tellingThenSilent(start, textStart, textDelta));
  const { url } = await serve(conversations);
  const leaving = new AbortController();
  const response = post(url, { stream }, leaving.signal).catch(() => undefined);
  if (stream) await response;
  while (conversations.opened.length === 0) await new Promise(setImmediate);
  leaving.abort();
  await conversations.left;
  expect(conversations.opened).toHaveLength(1);
});

it("shows what the conversations refuses", async () => {
  const { CaretError } = await import("@caret/protocol");
  const anthropic = await client({ open: () => Promise.reject(new CaretError("overloaded", "Full.")) });
  const error = await anthropic.messages.create(ask).catch((reason) => reason);
  const headers = ["retry-after", "x-should-retry", "request-id"].map((name) => error.headers.get(name) !== null);
  expect([error.status, error.error.error.type, headers]).toEqual([429, "rate_limit_error", [true, true, true]]);
});

it("never shows a stack trace", async () => {
  const { app } = await serve({ open: () => Promise.reject(new TypeError("x is not a function at secret.ts")) });
  const { statusCode, body } = await app.inject({ method: "POST", url: "/v1/messages", payload: ask });
  expect({
    statusCode,
    tellsFileName: body.includes("secret.ts"),
    saysUnexpected: body.includes("Unexpected failure"),
  }).toEqual({ statusCode: 500, tellsFileName: false, saysUnexpected: true });
});

function post(url: string, given: object = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/v1/messages?beta=true`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...ask, stream: true, ...given }),
    ...(signal === undefined ? {} : { signal }),
  });
}

async function streamedNames(url: string): Promise<string[]> {
  return namesIn(await (await post(url)).text());
}

function namesIn(wire: string): string[] {
  return [...wire.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name ?? "");
}
