import { existsSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

/** A turn that would never end by itself. */
const endless = [{ text: "one two STOP three four", tokensPerDelta: 1, deltaMs: 10 }, { hang: true }] as const;

const home = new GatewayHome({
  turns: [
    { when: "What was", steps: [{ text: "I was cut." }] },
    { when: "^Talk", steps: [...endless] },
    ...works().map((work) => ({
      when: `${work}$`,
      steps: [
        { text: "I begin with the first file STOP and then go on with the others.", tokensPerDelta: 1 },
        ...["one", "two", "three"].flatMap((name) => [
          { tool: { name: "write", args: { path: `${work}-${name}.txt`, contents: name } } },
          { text: `Wrote ${name} and went on with the next of them.` },
        ]),
      ],
    })),
  ],
});
function works(): string[] {
  return ["chat", "messages", "responses"].flatMap((door) =>
    [true, false].flatMap((stream) => ["length", "stop"].map((limit) => `${door}-${stream}-${limit}`)),
  );
}

let gateway: GatewayProcess;
let workers: { readonly openai: OpenAI; readonly anthropic: Anthropic };
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  gateway = await startGateway(home, { env: { CARET_WORKSPACES_ALLOW: JSON.stringify([home.workspace]) } });
  const clients = (headers: Record<string, string>) => {
    const settings = { apiKey: gateway.token, maxRetries: 0, defaultHeaders: headers };
    return {
      openai: new OpenAI({ ...settings, baseURL: `${gateway.url}/v1` }),
      anthropic: new Anthropic({ ...settings, baseURL: gateway.url }),
    };
  };
  // These agents can do nothing but speak.
  ({ openai, anthropic } = clients({ "x-caret-tools": "none" }));
  workers = clients({ "x-caret-workspace": home.workspace });
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

async function chat(stream: boolean, limits: { stop?: string[]; max_completion_tokens?: number }) {
  const body = {
    model: "auto",
    messages: [{ role: "user" as const, content: `Talk ${stream} ${JSON.stringify(limits)}` }],
  };
  const whole = stream
    ? await openai.chat.completions.stream({ ...body, ...limits, stream: true }).finalChatCompletion()
    : await openai.chat.completions.create({ ...body, ...limits });
  const [choice] = whole.choices;
  return { text: choice?.message.content, end: choice?.finish_reason };
}

async function message(stream: boolean, limits: { stop_sequences?: string[]; max_tokens?: number }) {
  const body = {
    model: "auto",
    max_tokens: 1000,
    messages: [{ role: "user" as const, content: `Talk ${stream} ${JSON.stringify(limits)}` }],
    ...limits,
  };
  const whole = stream ? await anthropic.messages.stream(body).finalMessage() : await anthropic.messages.create(body);
  const [block] = whole.content;
  return { text: block?.type === "text" ? block.text : "", end: whole.stop_reason, sequence: whole.stop_sequence };
}

async function response(stream: boolean, max_output_tokens: number) {
  const body = { model: "auto", input: `Talk ${stream} in a response`, max_output_tokens };
  const whole = stream ? await openai.responses.stream(body).finalResponse() : await openai.responses.create(body);
  return { text: whole.output_text, end: whole.status, details: whole.incomplete_details };
}

/** Every turn was stopped, so that nobody works or pays for what nobody reads. */
async function runningTurns(): Promise<number> {
  const list = await fetch(`${gateway.url}/api/sessions?limit=100`, {
    headers: { authorization: `Bearer ${gateway.token}` },
  });
  const { sessions } = (await list.json()) as { sessions: { status: { kind: string } }[] };
  return sessions.filter(({ status }) => status.kind === "running").length;
}

describe.each([false, true])("an answer (stream: %s)", (stream) => {
  it("ends before a stop sequence, and says so", async () => {
    expect({
      chat: await chat(stream, { stop: ["STOP"] }),
      messages: await message(stream, { stop_sequences: ["never", "STOP"] }),
    }).toEqual({
      chat: { text: "one two ", end: "stop" },
      messages: { text: "one two ", end: "stop_sequence", sequence: "STOP" },
    });
  });

  it("ends after as many tokens as were asked for, and says so", async () => {
    expect({
      chat: await chat(stream, { max_completion_tokens: 2 }),
      messages: await message(stream, { max_tokens: 2 }),
      responses: await response(stream, 2),
    }).toEqual({
      chat: { text: "one two ", end: "length" },
      messages: { text: "one two ", end: "max_tokens", sequence: null },
      responses: { text: "one two ", end: "incomplete", details: { reason: "max_output_tokens" } },
    });
  });
});

/** What an answer with a limit says of itself. The client's own limit is in tokens. */
interface LimitedAnswer {
  readonly end: unknown;
  readonly used: number;
}

const TOKENS = 12;

const limited: Readonly<Record<string, (work: string, stream: boolean, limit: string) => Promise<LimitedAnswer>>> = {
  async chat(content, stream, limit) {
    const body = {
      model: "auto",
      messages: [{ role: "user" as const, content }],
      ...(limit === "stop" ? { stop: ["STOP"] } : { max_completion_tokens: TOKENS }),
    };
    const usage = { stream_options: { include_usage: true } };
    const whole = stream
      ? await workers.openai.chat.completions.stream({ ...body, ...usage }).finalChatCompletion()
      : await workers.openai.chat.completions.create(body);
    return { end: whole.choices[0]?.finish_reason, used: whole.usage?.completion_tokens ?? -1 };
  },
  async messages(content, stream, limit) {
    const body = {
      model: "auto",
      max_tokens: limit === "stop" ? 1_000 : TOKENS,
      messages: [{ role: "user" as const, content }],
      ...(limit === "stop" ? { stop_sequences: ["STOP"] } : {}),
    };
    const whole = stream
      ? await workers.anthropic.messages.stream(body).finalMessage()
      : await workers.anthropic.messages.create(body);
    return { end: whole.stop_reason, used: whole.usage.output_tokens };
  },
  async responses(input, stream) {
    const body = { model: "auto", input, max_output_tokens: TOKENS };
    const whole = stream
      ? await workers.openai.responses.stream(body).finalResponse()
      : await workers.openai.responses.create(body);
    return { end: whole.incomplete_details?.reason, used: whole.usage?.output_tokens ?? -1 };
  },
};
const ends: Readonly<Record<string, string>> = {
  "chat length": "length",
  "chat stop": "stop",
  "messages length": "max_tokens",
  "messages stop": "stop_sequence",
  "responses length": "max_output_tokens",
};

it.each(Object.keys(ends))(
  "at its limit (%s) the answer is cut, and the agent with tools of its own does all of its work",
  async (what) => {
    const [door = "", limit = ""] = what.split(" ");
    const outcomes = await Promise.all(
      [true, false].map(async (stream) => {
        const work = `${door}-${stream}-${limit}`;
        const answer = await limited[door]?.(work, stream, limit);
        const written = () =>
          ["one", "two", "three"].filter((name) => existsSync(join(home.workspace, `${work}-${name}.txt`)));
        await expect.poll(written, { timeout: 30_000 }).toEqual(["one", "two", "three"]);
        await expect.poll(() => outcomeOf(work), { timeout: 30_000 }).toBe("completed");
        return { end: answer?.end, isWithin: limit === "stop" || (answer?.used ?? TOKENS + 1) <= TOKENS };
      }),
    );
    expect(outcomes).toEqual(Array(2).fill({ end: ends[what], isWithin: true }));
  },
);

async function outcomeOf(work: string): Promise<unknown> {
  const list = await fetch(`${gateway.url}/api/sessions?limit=100`, {
    headers: { authorization: `Bearer ${gateway.token}` },
  });
  const { sessions } = (await list.json()) as {
    sessions: { title: string; status: { kind: string; outcome?: string } }[];
  };
  const { status } = sessions.find(({ title }) => title === work) ?? {};
  return status?.outcome ?? status?.kind;
}

it("ends its turn with it where the agent can only speak, and the conversation goes on", async () => {
  const first = { role: "user" as const, content: "Talk to me at length" };
  const cut = await openai.chat.completions.create({ model: "auto", messages: [first], stop: "STOP" });
  const answer = { role: "assistant" as const, content: cut.choices[0]?.message.content ?? "" };
  const next = await openai.chat.completions.create({
    model: "auto",
    messages: [first, answer, { role: "user", content: "What was that?" }],
  });
  expect({ text: next.choices[0]?.message.content, running: await runningTurns() }).toEqual({
    text: "I was cut.",
    running: 0,
  });
});
