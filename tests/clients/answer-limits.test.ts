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
  ],
});
let gateway: GatewayProcess;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  gateway = await startGateway(home);
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.token, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.token, maxRetries: 0 });
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
  it("ends before a stop sequence, and says so [defect 17]", async () => {
    expect({
      chat: await chat(stream, { stop: ["STOP"] }),
      messages: await message(stream, { stop_sequences: ["never", "STOP"] }),
    }).toEqual({
      chat: { text: "one two ", end: "stop" },
      messages: { text: "one two ", end: "stop_sequence", sequence: "STOP" },
    });
  });

  it("ends after as many tokens as were asked for, and says so [defect 17]", async () => {
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

it("ends its turn with it, and the conversation goes on [defect 17]", async () => {
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
