import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

const home = new GatewayHome({
  turns: [
    { when: "^Linger", steps: [{ text: "I am here." }, { hang: true }] },
    { when: "^Too often", steps: [{ fail: "rate-limited" }] },
    { when: "^Spent", steps: [{ fail: "usage-limit" }] },
    { when: "^Crash", steps: [{ crash: "SIGSEGV" }] },
    { when: "^Break off", steps: [{ text: "So far so good. " }, { exit: 0 }] },
  ],
});
let gateway: GatewayProcess;

beforeAll(async () => {
  gateway = await startGateway(home, { env: { CARET_SERVER_MAX_TURNS: "1" } });
  // The list of models is there, so that names are judged.
  await fetch(`${gateway.url}/v1/models`, { headers: { "x-api-key": gateway.token } });
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

const asked = (content: string) => [{ role: "user", content } as const];

function clients(token = gateway.token, maxRetries = 0) {
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: token, maxRetries });
  const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: token, maxRetries });
  return {
    chat: (content: string, model = "auto") => openai.chat.completions.create({ model, messages: asked(content) }),
    responses: (content: string, model = "auto") => openai.responses.create({ model, input: content }),
    messages: (content: string, model = "auto") =>
      anthropic.messages.create({ model, max_tokens: 9, messages: asked(content) }),
  };
}

type Door = keyof ReturnType<typeof clients>;
const doors: readonly Door[] = ["chat", "responses", "messages"];

/** What the client makes of the failure; both have the same names for it. */
async function failureOf(answer: Promise<unknown>) {
  const error = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof OpenAI.APIError || error instanceof Anthropic.APIError)
    return { name: error.constructor.name, status: error.status, message: error.message, headers: error.headers };
  throw new Error(`The client was to fail, but: ${String(error)}`);
}

describe.each(doors)("through %s", (door) => {
  it("reports a wrong token as 401, and starts nothing", async () => {
    const before = home.turns().length;
    const { name, status, message } = await failureOf(clients("caret_wrong")[door]("hello"));
    expect({ name, status, saysWhy: /valid token/.test(message), turnsCount: home.turns().length }).toEqual({
      name: "AuthenticationError",
      status: 401,
      saysWhy: true,
      turnsCount: before,
    });
  });

  it("reports an unknown model as 404 with the nearest names, and starts nothing", async () => {
    const before = home.turns().length;
    const { name, status, message } = await failureOf(clients()[door]("hello", "gpt-5.1x"));
    expect([name, status, message, home.turns().length]).toEqual([
      "NotFoundError",
      404,
      expect.stringMatching(/There is no model \\?"gpt-5\.1x\\?" in Cursor's list\. Did you mean `gpt-5\.1/),
      before,
    ]);
  });

  it("reports a body above the limit as 413, and starts nothing", async () => {
    const before = home.turns().length;
    const { status } = await failureOf(clients()[door]("x".repeat(11 * 1024 * 1024)));
    expect([status, home.turns().length]).toEqual([413, before]);
  });

  it("reports what Cursor limits as 429, when to try again included", async () => {
    const { name, status, headers } = await failureOf(clients()[door]("Too often asked"));
    expect({ name, status, hasRetryAfter: Number(headers?.get("retry-after")) > 0 }).toEqual({
      name: "RateLimitError",
      status: 429,
      hasRetryAfter: true,
    });
  });

  it("reports a plan that is used up as 402, which no client tries again", async () => {
    const { status, headers } = await failureOf(clients()[door]("Spent everything"));
    expect([status, headers?.get("x-should-retry")]).toEqual([402, "false"]);
  });

  it.each(["Crash", "Break off"])("reports an agent that ends without a result (%s) as final", async (prompt) => {
    const { status, headers } = await failureOf(clients()[door](prompt));
    expect({ status, shouldRetry: headers?.get("x-should-retry") }).toEqual({ status: 424, shouldRetry: "false" });
  });

  it.each(["Crash", "Break off", "Spent"])(
    "starts one agent for an answer that fails (%s), however often the client would try",
    async (prompt) => {
      const before = home.turns().length;
      await failureOf(clients(gateway.token, 5)[door](`${prompt} in ${door}`));
      expect(home.turns().length - before).toBe(1);
    },
  );
});

describe("Codex, which goes by statuses and codes of its own", () => {
  async function ask(input: string, token = gateway.token) {
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}`, originator: "codex_exec" },
      body: JSON.stringify({ model: input === "Unknown" ? "llama-4" : "auto", stream: true, input }),
    });
    return { status: response.status, body: await response.text() };
  }

  it("gets a used-up plan as its own usage limit", async () => {
    const { status, body } = await ask("Spent by Codex");
    expect({ status, type: JSON.parse(body).error.type }).toEqual({ status: 429, type: "usage_limit_reached" });
  });

  it.each(["Crash", "Break off", "Unknown"])("is given a code that it takes as final (%s)", async (input) => {
    const { status, body } = await ask(input);
    const [, failed = "{}"] = /event: response\.failed\ndata: (.+)\n\n/.exec(body) ?? [];
    expect({ status, code: JSON.parse(failed).response?.error.code }).toEqual({
      status: 200,
      code: "invalid_prompt",
    });
  });

  it("is refused with 400 when its token is wrong, since it would send anything else again", async () => {
    expect((await ask("hello", "caret_wrong")).status).toBe(400);
  });
});

it("refuses the turn that is one too many with 429, and takes it once there is room", async () => {
  const leaving = new AbortController();
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.token, maxRetries: 0 });
  const stream = await openai.chat.completions.create(
    { model: "auto", messages: asked("Linger a while"), stream: true },
    { signal: leaving.signal },
  );
  await stream[Symbol.asyncIterator]().next();
  const refused = await Promise.all(doors.map((door) => failureOf(clients()[door]("hello"))));
  leaving.abort();
  expect(refused.map(({ name, status, headers }) => [name, status, headers?.get("retry-after")])).toEqual(
    doors.map(() => ["RateLimitError", 429, "1"]),
  );
  const retrying = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.token, maxRetries: 9 });
  const answer = await retrying.chat.completions.create({ model: "auto", messages: asked("What is 2 + 2?") });
  expect(answer.choices[0]?.message.content).toContain("4");
});

it("ends a stream that breaks off with an error and an end, never with silence", async () => {
  const body = JSON.stringify({ model: "auto", stream: true, messages: asked("Break off please") });
  const headers = { "content-type": "application/json", "x-api-key": gateway.token };
  const wires: string[] = [];
  for (const path of ["/v1/chat/completions", "/v1/messages"])
    wires.push(await (await fetch(gateway.url + path, { method: "POST", headers, body })).text());
  expect(wires).toEqual([
    expect.stringMatching(/So far[\s\S]*"error"[\s\S]*"finish_reason":"\w+"[\s\S]*\[DONE\]/),
    expect.stringMatching(/So far[\s\S]*event: error[\s\S]*message_delta[\s\S]*message_stop/),
  ]);
});
