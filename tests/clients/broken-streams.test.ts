import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

const home = new GatewayHome({
  turns: [
    { when: "^Work for ever", steps: [{ text: "Working. " }, { grandchild: { seconds: 600 } }, { hang: true }] },
    { when: "^Take your time", steps: [{ text: "One moment. " }, { delay: 1500 }, { text: "Here it is." }] },
  ],
});
let gateway: GatewayProcess;

beforeAll(async () => {
  gateway = await startGateway(home);
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

const openai = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.token, maxRetries: 0 });
const anthropic = (headers: Record<string, string> = {}) =>
  new Anthropic({ baseURL: gateway.url, apiKey: gateway.token, maxRetries: 0, defaultHeaders: headers });
const asked = (content: string) => [{ role: "user", content } as const];

/** How each client reads the beginning of an answer and then goes away. */
const leaving: Readonly<Record<string, (prompt: string, signal: AbortSignal) => Promise<unknown>>> = {
  chat: async (prompt, signal) => {
    const request = { model: "auto", messages: asked(prompt), stream: true } as const;
    const stream = await openai().chat.completions.create(request, { signal });
    return await stream[Symbol.asyncIterator]().next();
  },
  responses: async (prompt, signal) => {
    const stream = await openai().responses.create({ model: "auto", input: prompt, stream: true }, { signal });
    return await stream[Symbol.asyncIterator]().next();
  },
  messages: async (prompt, signal) => {
    const request = { model: "auto", max_tokens: 9, messages: asked(prompt), stream: true } as const;
    const stream = await anthropic().messages.create(request, { signal });
    return await stream[Symbol.asyncIterator]().next();
  },
};

function timesAsked(prompt: string): number {
  return home.prompts().filter((asked) => asked === prompt).length;
}

it("stops the agent of every client that leaves in the middle of an answer, its grandchildren included", async () => {
  const controller = new AbortController();
  await Promise.all(
    Object.entries(leaving).map(([door, leave]) => leave(`Work for ever on ${door}`, controller.signal)),
  );
  await expect.poll(() => home.agents("sleep").length, { timeout: 5_000 }).toBe(3);
  const working = home.agents();
  controller.abort();
  await expect.poll(() => home.agents().filter((pid) => working.includes(pid)), { timeout: 15_000 }).toEqual([]);
  expect(home.prompts()).toHaveLength(3);
});

it("gives a client that lost its stream the very same turn when it asks again", async () => {
  const client = anthropic({ "x-claude-code-session-id": "session-1" });
  const request = { model: "auto", max_tokens: 9, messages: asked("Take your time") };
  const controller = new AbortController();
  const stream = await client.messages.create({ ...request, stream: true }, { signal: controller.signal });
  await stream[Symbol.asyncIterator]().next();
  controller.abort();
  const { content, stop_reason } = await client.messages.create(request);
  expect([content, stop_reason, timesAsked("Take your time")]).toEqual([
    [{ type: "text", text: "One moment. Here it is." }],
    "end_turn",
    1,
  ]);
});

it("runs one agent for two clients that ask the same in the same session at the same time", async () => {
  const client = anthropic({ "x-claude-code-session-id": "session-2" });
  const request = { model: "auto", max_tokens: 9, messages: asked("Take your time, both of you") };
  const answers = await Promise.all([client.messages.create(request), client.messages.create(request)]);
  expect([answers.map(({ content }) => content.length), timesAsked("Take your time, both of you")]).toEqual([
    [1, 1],
    1,
  ]);
});

it("runs an agent each for strangers who ask the same at the same time", async () => {
  const request = { model: "auto", messages: asked("Take your time, strangers") };
  await Promise.all([openai().chat.completions.create(request), openai().chat.completions.create(request)]);
  expect(timesAsked("Take your time, strangers")).toBe(2);
});
