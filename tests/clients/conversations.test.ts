import { barSize, isFullRun } from "@caret/runtime/testing/bar-size.ts";
import OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

const home = new GatewayHome();
let gateway: GatewayProcess;

beforeAll(async () => {
  gateway = await startGateway(home, { env: { CARET_WARM_ENABLED: "true" } });
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

/** A client that keeps the transcript and sends all of it every time, as all of them do. */
class Conversation {
  readonly messages: ChatCompletionMessageParam[] = [];
  readonly #headers: Record<string, string>;

  constructor(headers: Record<string, string> = {}) {
    this.#headers = headers;
  }

  async say(content: string): Promise<string> {
    this.messages.push({ role: "user", content });
    const { text } = await this.ask(this.messages);
    this.messages.push({ role: "assistant", content: text });
    return text;
  }

  /** Asks without keeping anything. */
  async ask(messages: ChatCompletionMessageParam[]): Promise<{ text: string; session: string | null }> {
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.token, maxRetries: 0 });
    const { data, response } = await client.chat.completions
      .create({ model: "auto", messages }, { headers: this.#headers })
      .withResponse();
    const text = data.choices[0]?.message.content ?? "";
    return { text, session: response.headers.get("x-caret-session") };
  }
}

function newPrompts(since: number): readonly string[] {
  return home.prompts().slice(since);
}

describe("a client that sends the whole transcript every time", () => {
  const turnCount = barSize({ quick: 8, full: 20 });
  it(`has every message reach the agent once in ${turnCount} turns, alone, and at a cost that stays flat`, async () => {
    const since = home.turns().length;
    const conversation = new Conversation();
    const said = Array.from({ length: turnCount }, (_, index) => `My lucky number ${index} is ${index * 7}`);
    const seconds: number[] = [];
    for (const text of said) {
      const started = performance.now();
      await conversation.say(text);
      seconds.push((performance.now() - started) / 1000);
    }
    const turns = home.turns().slice(since);
    const resumed = turns.map(({ argv }) => argv.includes("--resume"));
    expect([turns.map(({ prompt }) => prompt), resumed, new Set(turns.map(({ cwd }) => cwd)).size]).toEqual([
      said,
      said.map((_, index) => index > 0),
      1,
    ]);
    // Only where there are enough turns for a median, and nothing else runs.
    if (isFullRun()) expect(median(seconds.slice(10))).toBeLessThan(2 * median(seconds.slice(1, 11)) + 0.5);
    expect(await conversation.say("What is my lucky number 3?")).toContain("21");
  }, 90_000);

  it("starts a new session when it has edited what was said, and the old session stays as it was", async () => {
    const conversation = new Conversation();
    await conversation.say("My name is Ada, before the edit");
    await conversation.say("My dog is Rex");
    const edited: ChatCompletionMessageParam[] = [
      { role: "user", content: "My name is Ada, before the edit" },
      { role: "assistant", content: "Nice to meet you." },
      { role: "user", content: "My dog is Fido" },
      { role: "assistant", content: "Noted." },
      { role: "user", content: "What is my dog?" },
    ];
    const since = home.turns().length;
    await new Conversation().ask(edited);
    const [turn] = home.turns().slice(since);
    expect({
      mentionsFido: turn?.prompt.includes("Fido"),
      mentionsRex: turn?.prompt.includes("Rex"),
      resumes: turn?.argv.includes("--resume"),
    }).toEqual({ mentionsFido: true, mentionsRex: false, resumes: false });
    expect(await conversation.say("What is my dog?")).toContain("Rex");
  });

  it("has its titles made apart from the session", async () => {
    const conversation = new Conversation({ "x-session-id": "titled" });
    await conversation.say("My name is Grace, with a title");
    const { session: titles } = await conversation.ask([
      { role: "system", content: "You are a title generator. You output only a title." },
      { role: "user", content: "Generate a title for this conversation:" },
      { role: "user", content: "My name is Grace, with a title" },
    ]);
    // An agent that makes a title has no business in anyone's files.
    const isHarmless = home.turns().at(-1)?.argv.includes("ask");
    const answer = await conversation.say("What is my name?");
    const { session } = await conversation.ask(conversation.messages.slice(0, -1));
    expect({
      isHarmless,
      saysGrace: answer.includes("Grace"),
      isTitleInTheSession: titles === session,
      lastPrompt: home.prompts().at(-1),
    }).toEqual({ isHarmless: true, saysGrace: true, isTitleInTheSession: false, lastPrompt: "What is my name?" });
  });

  it("goes on where it was when the gateway is started again in between", async () => {
    const conversation = new Conversation();
    await conversation.say("My name is Joan, and gateways come and go");
    const exit = await gateway.stop();
    gateway = await startGateway(home);
    const since = home.turns().length;
    const answer = await conversation.say("What is my name?");
    expect({ exit, saysJoan: answer.includes("Joan"), prompts: newPrompts(since) }).toEqual({
      exit: { code: 0, signal: null },
      saysJoan: true,
      prompts: ["What is my name?"],
    });
  });

  it("goes on where it was when the gateway was killed in between", async () => {
    const conversation = new Conversation();
    await conversation.say("My name is Mary, and gateways may die");
    gateway.kill("SIGKILL");
    await gateway.exited;
    gateway = await startGateway(home);
    const since = home.turns().length;
    const answer = await conversation.say("What is my name?");
    expect({ saysMary: answer.includes("Mary"), prompts: newPrompts(since) }).toEqual({
      saysMary: true,
      prompts: ["What is my name?"],
    });
  });
});

describe("two clients", () => {
  it("that begin alike are never mixed up", async () => {
    const [one, other] = [new Conversation({ "x-session-id": "one" }), new Conversation({ "x-session-id": "other" })];
    await Promise.all([one.say("Hello, gateway"), other.say("Hello, gateway")]);
    await Promise.all([one.say("My name is One"), other.say("My name is Other")]);
    expect(await Promise.all([one.say("What is my name?"), other.say("What is my name?")])).toEqual([
      "Your name is One.",
      "Your name is Other.",
    ]);
  });
});

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
