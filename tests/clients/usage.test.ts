import Anthropic from "@anthropic-ai/sdk";
import { barSize } from "@caret/runtime/testing/bar-size.ts";
import OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

const ROUNDS = 4;
/** 300 tokens by the estimate's rule. */
const RESULT = "x".repeat(1_200);
const look = { tool: { server: "caret", name: "look", args: {} } };
/** What the agent reports for its whole turn. */
const usage = { inputTokens: 70_000, outputTokens: 900, cacheReadTokens: 9_000, cacheWriteTokens: 0 };
const turnUsage = { input: 70_000, output: 900, cacheRead: 9_000, cacheWrite: 0 };

const home = new GatewayHome({
  turns: [
    { when: "^Loop", steps: [...Array(ROUNDS).fill(look), { usage }, { text: "All looked at." }] },
    { when: "^Plain", steps: [{ usage }, { text: "Plainly." }] },
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

/** An answer's usage, in the same words for every door. */
interface Used {
  readonly prompt: number;
  readonly cached: number;
  readonly output: number;
  readonly estimated: boolean;
  readonly ofTurn: unknown;
}

const parameters = { type: "object" as const, properties: {} };
const extras = (reported: object): Pick<Used, "estimated" | "ofTurn"> => {
  const { caret_estimated, caret_turn_usage } = reported as Record<string, unknown>;
  return { estimated: caret_estimated === true, ofTurn: caret_turn_usage };
};

async function byChat(question: string, stream: boolean): Promise<readonly Used[]> {
  const messages: ChatCompletionMessageParam[] = [{ role: "user", content: question }];
  const used: Used[] = [];
  for (;;) {
    const request = {
      model: "auto",
      messages,
      tools: [{ type: "function" as const, function: { name: "look", parameters } }],
    };
    const { choices, usage: reported } = stream
      ? await openai.chat.completions
          .stream({ ...request, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await openai.chat.completions.create(request);
    if (reported === undefined) throw new Error("An answer without usage");
    const cached = reported.prompt_tokens_details?.cached_tokens ?? 0;
    used.push({ prompt: reported.prompt_tokens, cached, output: reported.completion_tokens, ...extras(reported) });
    const message = choices[0]?.message;
    const calls = message?.tool_calls ?? [];
    if (message === undefined || calls.length === 0) return used;
    const results = calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: RESULT }));
    messages.push({ role: "assistant", content: message.content, tool_calls: calls }, ...results);
  }
}

async function byResponses(question: string, stream: boolean): Promise<readonly Used[]> {
  const input: ResponseInputItem[] = [{ role: "user", content: question }];
  const used: Used[] = [];
  for (;;) {
    const tools = [{ type: "function" as const, name: "look", parameters, strict: false }];
    const request = { model: "auto", input, tools };
    const { output, usage: reported } = stream
      ? await openai.responses.stream(request).finalResponse()
      : await openai.responses.create(request);
    if (reported === undefined) throw new Error("A response without usage");
    const cached = reported.input_tokens_details?.cached_tokens ?? 0;
    used.push({ prompt: reported.input_tokens, cached, output: reported.output_tokens, ...extras(reported) });
    const calls = output.flatMap((item) => (item.type === "function_call" ? [item] : []));
    if (calls.length === 0) return used;
    for (const { call_id, name, arguments: args } of calls) {
      input.push({ type: "function_call", call_id, name, arguments: args });
      input.push({ type: "function_call_output", call_id, output: RESULT });
    }
  }
}

/** The SDK keeps only the fields it knows of the last usage, and the others of the first. */
async function streamMessage(request: Anthropic.Messages.MessageCreateParamsNonStreaming) {
  const stream = anthropic.messages.stream(request);
  let last = {};
  stream.on("streamEvent", (event) => {
    if (event.type === "message_delta") last = event.usage;
  });
  const { content, usage: known } = await stream.finalMessage();
  return { content, usage: { ...known, caret_estimated: undefined, ...last } };
}

async function byMessages(question: string, stream: boolean): Promise<readonly Used[]> {
  const messages: Anthropic.Messages.MessageParam[] = [{ role: "user", content: question }];
  const used: Used[] = [];
  for (;;) {
    const request = { model: "auto", max_tokens: 1_000, messages, tools: [{ name: "look", input_schema: parameters }] };
    const { content, usage: reported } = stream
      ? await streamMessage(request)
      : await anthropic.messages.create(request);
    const cached = reported.cache_read_input_tokens ?? 0;
    const prompt = reported.input_tokens + cached + (reported.cache_creation_input_tokens ?? 0);
    used.push({ prompt, cached, output: reported.output_tokens, ...extras(reported) });
    const calls = content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
    if (calls.length === 0) return used;
    const results = calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: RESULT }));
    messages.push({ role: "assistant", content }, { role: "user", content: results });
  }
}

describe.each([
  ["chat completions", byChat],
  ["responses", byResponses],
  ["messages", byMessages],
])("the usage of answers by %s", (door, ask) => {
  // Whole and streamed answers have one usage: the longer loop is gone through once in the quick form.
  it.each([true, false].slice(0, barSize({ quick: 1, full: 2 })))(
    "grows with the client's context in a tool loop, and never is the whole turn's (stream: %s)",
    async (stream) => {
      const used = await ask(`Loop by ${door}, ${stream}`, stream);
      const prompts = used.map(({ prompt }) => prompt);
      expect({
        answers: used.length,
        grows: prompts.slice(1).map((prompt, index) => Math.floor((prompt - (prompts[index] ?? 0)) / 300)),
        isSmall: Math.max(...prompts) < 2 * ROUNDS * 300,
        cached: used.map(({ cached }) => cached),
        outputs: used.every(({ output }) => output > 0 && output < 50),
        estimated: used.map(({ estimated }) => estimated),
        ofTurn: used.map(({ ofTurn }) => ofTurn),
      }).toEqual({
        answers: ROUNDS + 1,
        grows: Array(ROUNDS).fill(1),
        isSmall: true,
        cached: [0, ...prompts.slice(0, -1)],
        outputs: true,
        estimated: Array(ROUNDS + 1).fill(true),
        ofTurn: [...Array(ROUNDS).fill(undefined), turnUsage],
      });
    },
  );

  it.each([false, true])(
    "is what the agent reported where one answer is the whole turn (stream: %s)",
    async (stream) => {
      expect(await ask(`Plain by ${door}, ${stream}`, stream)).toEqual([
        { prompt: 79_000, cached: 9_000, output: 900, estimated: false, ofTurn: undefined },
      ]);
    },
  );
});
