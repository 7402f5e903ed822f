import { type AgentEvent, CaretError } from "@caret/protocol";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { openaiDoor } from "./route.ts";
import {
  aborted,
  begins,
  calls,
  createScriptedConversations,
  ends,
  fails,
  type ScriptedConversations,
  says,
  thinks,
} from "./testing/scripted-answers.ts";
import { type ServedDoor, serveDoor } from "./testing/serve-door.ts";

const hello = { model: "auto", messages: [{ role: "user" as const, content: "Hello" }] };
const usage: AgentEvent = { type: "usage", usage: { input: 3, output: 2 } };
const crashed = new CaretError("agent-crashed", "The agent crashed").toInfo();
const notLoggedIn = new CaretError("cli-missing", "There is no agent").toInfo();

function serve(
  conversations: ScriptedConversations,
  settings: { keepAliveMs?: number; signal?: AbortSignal } = {},
): Promise<ServedDoor> {
  const { keepAliveMs = 60_000, signal } = settings;
  let count = 0;
  const newId = () => String(++count);
  return serveDoor(
    openaiDoor({ conversations: conversations, now: () => 5000, newId, showActivity: "reasoning", keepAliveMs }),
    signal,
  );
}

const clientOf = ({ url }: ServedDoor) => new OpenAI({ baseURL: `${url}/v1`, apiKey: "x" });

const post = ({ url }: ServedDoor, body: unknown, init: RequestInit = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...init,
  });

describe("the official SDK at /v1/chat/completions", () => {
  it("gets a whole completion", async () => {
    const conversations = createScriptedConversations(() => [[begins], says("Hi."), [usage, ends]]);
    await using door = await serve(conversations);
    const completion = await clientOf(door).chat.completions.create(hello);
    expect([completion.id, completion.created, completion.choices[0]?.message.content, completion.usage]).toEqual([
      "chatcmpl-1",
      5,
      "Hi.",
      { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    ]);
    expect(conversations.opened[0]?.caller).toEqual({ tokenName: "tester", workspace: undefined });
  });

  it("builds the same completion from the stream", async () => {
    await using door = await serve(
      createScriptedConversations(() => [[begins], thinks("Hm."), says("Hi."), [usage, ends]]),
    );
    const stream = clientOf(door).chat.completions.stream({ ...hello, stream_options: { include_usage: true } });
    const { choices, usage: reported } = await stream.finalChatCompletion();
    expect([choices[0]?.message, choices[0]?.finish_reason, reported]).toEqual([
      { role: "assistant", content: "Hi.", parsed: null, reasoning_content: "Hm.", refusal: null },
      "stop",
      { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    ]);
  });

  it("runs its own tools, two at a time, and gets the answer made of their results", async () => {
    const conversations = createScriptedConversations(({ messages }) => {
      const results = messages.flatMap((message) => (message.role === "tool" ? message.parts : []));
      if (results.length === 0)
        return [[begins, calls("c1", "add", { a: 1, b: 2 }), calls("c2", "add", { a: 3, b: 4 })]];
      return [[begins], says(results.map((part) => (part.kind === "text" ? part.text : "")).join(" ")), [ends]];
    });
    await using door = await serve(conversations);
    const runner = clientOf(door).chat.completions.runTools({
      ...hello,
      stream: true,
      tools: [
        {
          type: "function",
          function: {
            name: "add",
            description: "Adds",
            parameters: { type: "object" },
            parse: JSON.parse,
            function: ({ a, b }: { a: number; b: number }) => String(a + b),
          },
        },
      ],
    });
    expect([await runner.finalContent(), conversations.opened[0]?.request.tools]).toEqual([
      "3 7",
      [{ name: "add", description: "Adds", inputSchema: { type: "object" } }],
    ]);
  });

  it.each([true, false])("gets a plain error and does not try again in vain (stream: %s)", async (stream) => {
    const conversations = createScriptedConversations(() => [[begins], [fails(notLoggedIn)]]);
    await using door = await serve(conversations);
    const failure = await clientOf(door)
      .chat.completions.create({ ...hello, stream })
      .catch((reason: unknown) => reason);
    expect([
      (failure as InstanceType<typeof OpenAI.APIError>).status,
      String(failure),
      conversations.opened.length,
    ]).toEqual([
      424,
      "Error: 424 There is no agent. Install Cursor's agent CLI, or set `cli.command` to where it is.",
      1,
    ]);
  });

  it("raises a failure in the middle of the stream, after what was said", async () => {
    await using door = await serve(createScriptedConversations(() => [[begins], says("Half"), [fails(crashed)]]));
    let text = "";
    const reading = (async () => {
      const stream = await clientOf(door).chat.completions.create({ ...hello, stream: true });
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    })();
    await expect(reading).rejects.toThrow("The agent crashed.");
    expect(text).toBe("Half");
  });
});

describe("a stream of chat completions", () => {
  const endOf = async (response: Response) => (await response.text()).split("\n\n").slice(-4, -1);
  const finish =
    '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":5,"model":"auto","service_tier":"default","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}';

  it("ends properly when the turn fails", async () => {
    await using door = await serve(createScriptedConversations(() => [says("Half"), [fails(crashed)]]));
    const [error, ...rest] = await endOf(await post(door, { ...hello, stream: true }));
    expect([JSON.parse(error?.replace("data: ", "") ?? "").error.code, rest]).toEqual([
      "agent_crashed",
      [`data: ${finish}`, "data: [DONE]"],
    ]);
  });

  it.each([
    ["the log cannot be written any more", () => [says("Half")], "agent_crashed"],
    ["the turn breaks", () => breaking(), "internal_error"],
  ])("ends properly when %s", async (_, script, code) => {
    const conversations = createScriptedConversations(script, Promise.resolve({ kind: "failed", error: crashed }));
    await using door = await serve(conversations);
    const [error, ...rest] = await endOf(await post(door, { ...hello, stream: true }));
    expect([JSON.parse(error?.replace("data: ", "") ?? "").error.code, rest]).toEqual([
      code,
      [`data: ${finish}`, "data: [DONE]"],
    ]);
  });

  it("ends properly when the server stops, and lets go of the turn", async () => {
    const server = new AbortController();
    const conversations = createScriptedConversations(async function* (_, signal) {
      yield says("Half");
      server.abort(new CaretError("interrupted", "Caret stops"));
      await aborted(signal);
    });
    await using door = await serve(conversations, { signal: server.signal });
    const [error, ...rest] = await endOf(await post(door, { ...hello, stream: true }));
    await conversations.left;
    expect([JSON.parse(error?.replace("data: ", "") ?? "").error.code, rest]).toEqual([
      "interrupted",
      [`data: ${finish}`, "data: [DONE]"],
    ]);
  });

  it.each([false, true])(
    "is final when it breaks off before the turn has: that may still act (stream: %s)",
    async (stream) => {
      const server = new AbortController();
      const conversations = createScriptedConversations(async function* (_, signal) {
        yield [begins];
        server.abort(new CaretError("interrupted", "Caret stops"));
        await aborted(signal);
      });
      await using door = await serve(conversations, { signal: server.signal });
      const { status, headers } = await post(door, { ...hello, stream });
      expect([status, headers.get("x-should-retry")]).toEqual([424, "false"]);
    },
  );

  it("is kept alive while the agent is silent, and can still send a failure afterwards", async () => {
    const { promise: patience, resolve: go } = Promise.withResolvers<void>();
    const conversations = createScriptedConversations(async function* () {
      yield [begins];
      await patience;
      yield [fails(crashed)];
    });
    await using door = await serve(conversations, { keepAliveMs: 5 });
    const response = await post(door, { ...hello, stream: true });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const silence = await reader?.read();
    go();
    let text = "";
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) text += part.value;
    const types = text.split("\n\n").filter((event) => event.startsWith("data"));
    expect({
      status: response.status,
      startsWithKeepAlive: silence?.value?.startsWith(": keep-alive\n\n"),
      typesCount: types.length,
      last: types.at(-1),
    }).toEqual({ status: 200, startsWithKeepAlive: true, typesCount: 4, last: "data: [DONE]" });
  });

  it("names its session and turn in headers", async () => {
    await using door = await serve(createScriptedConversations(() => [says("Hi."), [ends]]));
    const { headers } = await post(door, { ...hello, stream: true });
    expect(["x-caret-session", "x-caret-turn", "content-type"].map((name) => headers.get(name))).toEqual([
      "session-1",
      "turn-1",
      "text/event-stream; charset=utf-8",
    ]);
  });
});

describe("a client that leaves", () => {
  it.each([true, false])("frees the turn (stream: %s)", async (stream) => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const conversations = createScriptedConversations(async function* (_, signal) {
      yield says("Half");
      begin();
      await aborted(signal);
    });
    await using door = await serve(conversations);
    const leaving = new AbortController();
    const response = post(door, { ...hello, stream }, { signal: leaving.signal }).then((reply) => reply.text());
    await begun;
    leaving.abort();
    await expect(response).rejects.toThrow("abort");
    await expect(conversations.left).resolves.toBe("gone");
  });
});

describe("a bad request", () => {
  const inject = async (payload: string, headers: Record<string, string> = {}) => {
    const conversations = createScriptedConversations(() => [[ends]]);
    await using door = await serve(conversations);
    const reply = await door.app.inject({
      method: "POST",
      url: "/v1/chat/completions",
      headers: { "content-type": "application/json", ...headers },
      payload,
    });
    return [reply.statusCode, reply.json().error.type, reply.json().error.code, conversations.opened.length];
  };

  it.each([
    ["is not JSON", "{", {}, 400, "invalid_request_error", "invalid_request"],
    ["is empty", "", {}, 400, "invalid_request_error", "invalid_request"],
    ["has no messages", "{}", {}, 400, "invalid_request_error", "invalid_request"],
    ["wants two answers", JSON.stringify({ ...hello, n: 2 }), {}, 400, "invalid_request_error", "invalid_request"],
    ["is too large", JSON.stringify({ x: "x".repeat(20_000) }), {}, 413, "invalid_request_error", "too_large"],
    ["is no JSON by its type", "x", { "content-type": "text/csv" }, 415, "invalid_request_error", "invalid_request"],
    ["was not admitted", JSON.stringify(hello), { "x-stranger": "1" }, 401, "authentication_error", "invalid_api_key"],
  ])("that %s is refused before any turn starts", async (_, payload, headers, ...expected) => {
    expect(await inject(payload, headers)).toEqual([...expected, 0]);
  });
});

it("shows what the conversations refuses", async () => {
  const conversations = createScriptedConversations(() => []);
  const full = { ...conversations, open: () => Promise.reject(new CaretError("overloaded", "Too many turns")) };
  await using door = await serve(full);
  const response = await post(door, hello);
  expect([response.status, response.headers.get("retry-after"), await response.json()]).toEqual([
    429,
    "1",
    {
      error: {
        message: "Too many turns. Wait a moment and try again.",
        type: "rate_limit_error",
        param: null,
        code: "overloaded",
        caret: { code: "overloaded", retryable: true, fix: "Wait a moment and try again." },
      },
    },
  ]);
});

async function* breaking(): AsyncGenerator<readonly AgentEvent[]> {
  yield says("Half");
  throw new Error("The follower broke");
}
