import type { Caller, Conversations, SpanAttributes, SpanOptions, Tracer } from "@caret/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { saying, scriptedConversations, telling } from "../chat/testing/scripted-conversations.ts";
import { type StartedServer, startServer } from "./testing/start-server.ts";

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/** An ended span, with everything set on it. */
interface Ended {
  readonly name: string;
  readonly parent: SpanOptions["parent"];
  readonly attributes: SpanAttributes;
  readonly isFailed: boolean;
}

let ended: Ended[];
let callers: Caller[];
let server: StartedServer;

const tracer: Tracer = {
  start(name, { parent: given, attributes = {} } = {}) {
    let all = attributes;
    return {
      traceparent: `of ${name}`,
      set: (more) => {
        all = { ...all, ...more };
      },
      event: () => undefined,
      end: ({ isFailed } = { isFailed: false }) => ended.push({ name, parent: given, attributes: all, isFailed }),
    };
  },
};

beforeEach(async () => {
  ended = [];
  callers = [];
  const scripted = scriptedConversations(telling(...saying("hello")));
  const noted: Conversations = {
    open(request, caller) {
      callers.push(caller);
      return scripted.open(request, caller);
    },
  };
  server = await startServer(noted, { drainMs: 50, tracer });
});
afterEach(() => server.app.close());

async function call(path: string, init: RequestInit = {}, token = "boss"): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", traceparent: parent };
  await (await fetch(`${server.url}${path}`, { ...init, headers })).text();
}

it.each([
  ["/v1/chat/completions", "openai", { model: "auto", messages: [{ role: "user", content: "hi" }] }],
  ["/v1/messages", "anthropic", { model: "auto", max_tokens: 9, messages: [{ role: "user", content: "hi" }] }],
  ["/v1/responses", "responses", { model: "auto", input: "hi" }],
])("a turn at %s is given the place of its request in the client's trace", async (path, door, body) => {
  await call(path, { method: "POST", body: JSON.stringify(body) });
  await expect.poll(() => ended.length).toBe(1);
  expect([ended, callers.map(({ traceparent }) => traceparent)]).toEqual([
    [
      {
        name: `POST ${path}`,
        parent,
        attributes: {
          "http.request.method": "POST",
          "http.route": path,
          "caret.door": door,
          "http.response.status_code": 200,
        },
        isFailed: false,
      },
    ],
    [`of POST ${path}`],
  ]);
});

it("a refused request is traced by its pattern, without the ids and words in its path", async () => {
  await call("/api/sessions/a-secret-id?q=secret", {}, "wrong");
  await call("/no/such/place");
  await expect.poll(() => ended.length).toBe(2);
  expect(ended.map(({ name, attributes }) => [name, attributes["http.response.status_code"]])).toEqual([
    ["GET /api/sessions/:id", 401],
    ["GET none", 404],
  ]);
});

it("what anyone may fetch is not traced", async () => {
  await call("/healthz");
  await call("/");
  await call("/openapi.json");
  await call("/v1/models");
  await expect.poll(() => ended.map(({ name }) => name)).toEqual(["GET /v1/models"]);
});
