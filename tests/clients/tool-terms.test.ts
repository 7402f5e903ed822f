import Anthropic from "@anthropic-ai/sdk";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import OpenAI from "openai";
import type { ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources/chat/completions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

const call = (name: string, args: Record<string, unknown> = {}) => ({ server: "caret", name, args });
const searching = { tool: call("ToolSearch", { query: "weather" }) };

const home = new GatewayHome({
  turns: [
    { when: "^Never", steps: [{ text: "No." }] },
    { when: "^You have not called .*extract", steps: [{ tool: call("extract", { name: "Ada" }) }, { text: "Done." }] },
    { when: "^You have not called", steps: [{ text: "Still no." }] },
    { when: "^Extract", steps: [{ text: "Her name is Ada." }] },
    {
      when: "^Both",
      steps: [{ tools: [call("extract", { name: "a" }), call("extract", { name: "b" })] }, { text: "Both." }],
    },
    { when: "^Weather", steps: [searching, { tool: call("get_weather", { city: "Rome" }) }, { text: "Sunny." }] },
    {
      when: "^Passed on",
      steps: [
        searching,
        { tool: call("call_tool", { name: "get_weather", arguments: { city: "Oslo" } }) },
        { text: "Cold." },
      ],
    },
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

const parameters = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const extract: ChatCompletionTool = { type: "function", function: { name: "extract", parameters } };
const other: ChatCompletionTool = { type: "function", function: { name: "other", parameters } };

describe("a forced tool choice", () => {
  it.each([
    ["required", "required"],
    ["of one function", { type: "function", function: { name: "extract" } }],
  ] as const)("%s gives the call, although the agent answers in words at first", async (_name, tool_choice) => {
    const { choices } = await openai.chat.completions.create({
      model: "auto",
      messages: [{ role: "user", content: `Extract the name of Ada, ${_name}` }],
      tools: [extract],
      tool_choice,
    });
    const [call] = choices[0]?.message.tool_calls ?? [];
    expect({ call, finish: choices[0]?.finish_reason }).toEqual({
      call: { id: expect.any(String), type: "function", function: { name: "extract", arguments: '{"name":"Ada"}' } },
      finish: "tool_calls",
    });
  });

  it.runIf(isFullRun())("gives the call at the other doors, too", async () => {
    const input_schema = { type: "object" as const, properties: { name: { type: "string" } } };
    const message = await anthropic.messages.create({
      model: "auto",
      max_tokens: 1000,
      messages: [{ role: "user", content: "Extract the name of Ada by messages" }],
      tools: [{ name: "extract", input_schema }],
      tool_choice: { type: "any" },
    });
    const response = await openai.responses.create({
      model: "auto",
      input: "Extract the name of Ada by responses",
      tools: [{ type: "function", name: "extract", parameters, strict: false }],
      tool_choice: { type: "function", name: "extract" },
    });
    expect({
      messages: message.content.flatMap((block) => (block.type === "tool_use" ? [block.input] : [])),
      responses: response.output.flatMap((item) => (item.type === "function_call" ? [item.arguments] : [])),
    }).toEqual({ messages: [{ name: "Ada" }], responses: ['{"name":"Ada"}'] });
  });

  it("that the agent does not follow is an error that says so, and is not tried again", async () => {
    const before = home.turns().length;
    const patient = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.token, maxRetries: 2 });
    const asked = patient.chat.completions.create({
      model: "auto",
      messages: [{ role: "user", content: "Never call anything" }],
      tools: [other],
      tool_choice: "required",
    });
    const error = await asked.then(
      () => undefined,
      ({ status, code, message }) => ({ status, code, message }),
    );
    expect({ error, agents: home.turns().length - before }).toEqual({
      error: {
        status: 422,
        code: "tool_not_called",
        message: expect.stringContaining("did not call the tool `other`"),
      },
      agents: 2,
    });
  });
});

it("calls come one at a time to a client that says so, and all together to any other", async () => {
  const countsOf = async (parallel_tool_calls: boolean) => {
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content: `Both at once: ${parallel_tool_calls}` }];
    const counts: number[] = [];
    for (;;) {
      const { choices } = await openai.chat.completions.create({
        model: "auto",
        messages,
        tools: [extract],
        parallel_tool_calls,
      });
      const message = choices[0]?.message;
      const calls = message?.tool_calls ?? [];
      if (message === undefined || calls.length === 0) return { counts, text: message?.content };
      counts.push(calls.length);
      messages.push(message, ...calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "ok" })));
    }
  };
  expect({ single: await countsOf(false), together: await countsOf(true) }).toEqual({
    single: { counts: [1, 1], text: "Both." },
    together: { counts: [2], text: "Both." },
  });
});

describe("a tool that the client adds after its search for it", () => {
  const search: Anthropic.Messages.Tool = {
    name: "ToolSearch",
    description: "Finds tools",
    input_schema: { type: "object", properties: { query: { type: "string" } } },
  };
  const weather: Anthropic.Messages.Tool = {
    name: "get_weather",
    description: "The weather in a city",
    input_schema: { type: "object", properties: { city: { type: "string" } } },
    defer_loading: true,
  };

  it.each([
    ["listed again", "Weather please", { city: "Rome" }, "Sunny."],
    ["passed on by call_tool", "Passed on please", { city: "Oslo" }, "Cold."],
  ])("is called in the same turn, %s", async (_name, content, input, words) => {
    const agents = home.turns().length;
    const ask = { model: "auto", max_tokens: 1000 };
    const messages: Anthropic.Messages.MessageParam[] = [{ role: "user", content }];
    const first = await anthropic.messages.create({ ...ask, messages, tools: [search] });
    const found = first.content.find((block) => block.type === "tool_use");
    messages.push(
      { role: "assistant", content: first.content },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: found?.id ?? "",
            content: [{ type: "tool_reference", tool_name: "get_weather" }],
          },
        ],
      },
    );
    const second = await anthropic.messages.create({ ...ask, messages, tools: [search, weather] });
    const called = second.content.find((block) => block.type === "tool_use");
    messages.push(
      { role: "assistant", content: second.content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: called?.id ?? "", content: "fine" }] },
    );
    const last = await anthropic.messages.create({ ...ask, messages, tools: [search, weather] });
    expect({
      found: found?.name,
      called: { name: called?.name, input: called?.input },
      words: last.content.flatMap((block) => (block.type === "text" ? [block.text] : [])),
      agents: home.turns().length - agents,
    }).toEqual({ found: "ToolSearch", called: { name: "get_weather", input }, words: [words], agents: 1 });
  });
});
