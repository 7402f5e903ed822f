import { afterAll, beforeAll, expect, it } from "vitest";
import { GatewayHome } from "../gateway-home.ts";
import { type GatewayProcess, startGateway } from "../gateway-process.ts";
import { loadPackages } from "./load-packages.ts";

interface Piece {
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
}

type Message = readonly ["human" | "ai", string];

interface ChatModel {
  invoke(messages: readonly Message[]): Promise<Piece>;
  stream(messages: readonly Message[]): Promise<AsyncIterable<Piece>>;
}

interface LangChain {
  readonly ChatOpenAI: new (settings: object) => ChatModel;
}

const home = new GatewayHome();
let gateway: GatewayProcess;
let langchain: LangChain;

beforeAll(async () => {
  const load = await loadPackages(["@langchain/openai@1.6.0", "@langchain/core@1.2.13"]);
  langchain = await load<LangChain>("@langchain/openai");
  gateway = await startGateway(home);
});
afterAll(async () => {
  await gateway?.stop();
  home.remove();
});

function textOf({ content }: Piece): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

it.each([
  ["chat completions", false],
  ["responses", true],
])("LangChain gets answers by %s, whole and as a stream, and is remembered", async (door, useResponsesApi) => {
  const model = new langchain.ChatOpenAI({
    model: "auto",
    apiKey: gateway.token,
    configuration: { baseURL: `${gateway.url}/v1` },
    maxRetries: 0,
    useResponsesApi,
  });
  const first: Message = ["human", `My name is Ada by ${door}`];
  const answer = textOf(await model.invoke([first]));
  const second: readonly Message[] = [first, ["ai", answer], ["human", "What is my name?"]];
  const pieces = await Array.fromAsync(await model.stream(second));
  expect([pieces.map(textOf).join(""), home.prompts().at(-1)]).toEqual([
    expect.stringMatching(/^Your name is Ada/),
    "What is my name?",
  ]);
});
