import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayHome } from "../gateway-home.ts";
import { type GatewayProcess, startGateway } from "../gateway-process.ts";
import { loadPackages } from "./load-packages.ts";

interface Message {
  readonly role: "user" | "assistant";
  readonly content: unknown;
}

interface Request {
  readonly model: unknown;
  readonly messages: readonly Message[];
  readonly maxRetries: number;
}

interface Answer {
  readonly text: string;
  readonly reasoningText?: string;
  readonly toolCalls: readonly unknown[];
  readonly finishReason: string;
  readonly response: { readonly messages: readonly Message[] };
}

type Promised<Whole> = { readonly [Key in keyof Whole]: PromiseLike<Whole[Key]> };

interface Ai {
  generateText(request: Request): Promise<Answer>;
  streamText(request: Request): Promised<Answer> & { readonly textStream: AsyncIterable<string> };
}

interface Settings {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly name?: string;
}

type Provider = ((id: string) => unknown) & { chat(id: string): unknown; responses(id: string): unknown };
type Makers = Readonly<Record<string, (settings: Settings) => Provider>>;

const home = new GatewayHome({
  turns: [
    { when: "^Ponder", steps: [{ thinking: "Let me see." }, { text: "Done pondering." }] },
    { when: "^Look", steps: [{ tool: { name: "ls", args: { path: "." } } }, { text: "I have looked." }] },
  ],
});
let gateway: GatewayProcess;
let ai: Ai;
let models: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  const load = await loadPackages([
    "ai@7.0.169",
    "@ai-sdk/openai-compatible@3.0.90",
    "@ai-sdk/openai@4.0.114",
    "@ai-sdk/anthropic@4.0.102",
  ]);
  // It does not know a model called auto, and would say so each time.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  ai = await load<Ai>("ai");
  gateway = await startGateway(home);
  const settings = { baseURL: `${gateway.url}/v1`, apiKey: gateway.token };
  const make = async (name: string, maker: string): Promise<Provider> => {
    const create = (await load<Makers>(name))[maker];
    if (create === undefined) throw new Error(`${name} has no ${maker}`);
    return create({ ...settings, name: "caret" });
  };
  const openai = await make("@ai-sdk/openai", "createOpenAI");
  models = {
    "openai-compatible": (await make("@ai-sdk/openai-compatible", "createOpenAICompatible"))("auto"),
    "openai, by responses": openai("auto"),
    "openai, by chat completions": openai.chat("auto"),
    anthropic: (await make("@ai-sdk/anthropic", "createAnthropic"))("auto"),
  };
});
afterAll(async () => {
  await gateway?.stop();
  home.remove();
});

const user = (content: string): Message => ({ role: "user", content });
const names = ["openai-compatible", "openai, by responses", "openai, by chat completions", "anthropic"];

describe.each(names)("the AI SDK with its provider %s", (name) => {
  const request = (...messages: readonly Message[]): Request => ({ model: models[name], messages, maxRetries: 0 });

  it("gets an answer whole, and is remembered", async () => {
    const first = user(`My name is Ada, whole, by ${name}`);
    const answer = await ai.generateText(request(first));
    const again = await ai.generateText(request(first, ...answer.response.messages, user("What is my name?")));
    expect([again.text, again.finishReason, home.prompts().at(-1)]).toEqual([
      expect.stringMatching(/^Your name is Ada/),
      "stop",
      "What is my name?",
    ]);
  });

  it("gets an answer as a stream, and is remembered", async () => {
    const first = user(`My name is Grace, streamed, by ${name}`);
    const { messages } = await ai.streamText(request(first)).response;
    const again = ai.streamText(request(first, ...messages, user("What is my name?")));
    const pieces = await Array.fromAsync(again.textStream);
    expect([pieces.join(""), await again.finishReason, home.prompts().at(-1)]).toEqual([
      expect.stringMatching(/^Your name is Grace/),
      "stop",
      "What is my name?",
    ]);
  });

  it("gets no call to run for what the agent did itself", async () => {
    const answer = ai.streamText(request(user(`Look around by ${name}`)));
    expect([await answer.text, await answer.toolCalls, await answer.finishReason]).toEqual([
      "I have looked.",
      [],
      "stop",
    ]);
  });
});

it.each(names.filter((name) => name !== "openai, by chat completions"))(
  "the AI SDK shows thinking with its provider %s",
  async (name) => {
    const request = { model: models[name], messages: [user(`Ponder by ${name}`)], maxRetries: 0 };
    const { text, reasoningText } = await ai.generateText(request);
    expect([text, reasoningText?.trim()]).toEqual(["Done pondering.", "Let me see."]);
  },
);
