import { existsSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

const properties = { name: { type: "string" }, age: { type: "number" } } as const;
const person = { type: "object", properties, required: ["name", "age"], additionalProperties: false } as const;
const never = { ...person, required: ["name", "age", "never"] } as const;
type Schema = typeof person | typeof never;
const ada = { name: "Ada", age: 36 };
const json = JSON.stringify(ada);
const fenced = `\`\`\`json\n${JSON.stringify(ada, undefined, 2)}\n\`\`\``;

/** What the agent says at first; every answer that is none is followed by a good one, but for the last. */
const manners: Readonly<Record<string, { readonly steps: readonly object[]; readonly agents: number }>> = {
  right: { steps: [{ text: json }], agents: 1 },
  fenced: { steps: [{ text: fenced }], agents: 1 },
  "fenced after words": { steps: [{ text: `Here it is:\n\n${fenced}` }], agents: 1 },
  narrated: {
    steps: [
      { text: "I'll look at the file first." },
      { tool: { name: "write", args: { path: "MANNER.txt", contents: "worked" } } },
      { text: json },
    ],
    agents: 1,
  },
  prose: {
    steps: [
      { tool: { name: "write", args: { path: "MANNER.txt", contents: "worked" } } },
      { text: "Her name is Ada, and she is 36." },
    ],
    agents: 2,
  },
  broken: { steps: [{ text: '{"name":"Ada","age":' }], agents: 2 },
  violating: { steps: [{ text: '{"name":"Ada","age":"36"}' }], agents: 2 },
  undecided: { steps: [{ text: `${json}\n\n{"name":"Bob","age":1}` }], agents: 2 },
};

const marked = (steps: readonly object[], key: string): object[] =>
  JSON.parse(JSON.stringify(steps).replaceAll("MANNER", key)) as object[];

const home = new GatewayHome({
  turns: [
    { when: "last answer cannot be used[\\s\\S]*never", steps: [{ text: "I would rather not." }] },
    { when: "last answer cannot be used", steps: [{ text: json }] },
    ...doorKeys().map((key) => ({
      when: `${key}$`,
      steps: marked(manners[key.split("/")[1] ?? ""]?.steps ?? [], slug(key)),
    })),
    { when: "never", steps: [{ text: "No." }] },
    { when: "any object", steps: [{ text: '```\n{"a":1}\n```' }] },
  ] as never,
});

function doorKeys(): string[] {
  return ["chat", "messages", "responses"].flatMap((door) =>
    [true, false].flatMap((stream) => Object.keys(manners).map((manner) => `${door} ${stream}/${manner}`)),
  );
}

function slug(key: string): string {
  return key.replaceAll(/\W/g, "-");
}

let gateway: GatewayProcess;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  gateway = await startGateway(home, { env: { CARET_WORKSPACES_ALLOW: JSON.stringify([home.workspace]) } });
  const settings = { apiKey: gateway.token, maxRetries: 2 };
  const defaultHeaders = { "x-caret-workspace": home.workspace };
  openai = new OpenAI({ ...settings, baseURL: `${gateway.url}/v1`, defaultHeaders });
  anthropic = new Anthropic({ ...settings, baseURL: gateway.url, defaultHeaders });
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

const doors: Readonly<
  Record<string, (prompt: string, stream: boolean, schema: Schema) => Promise<{ parsed: unknown; end: unknown }>>
> = {
  async chat(content, stream, schema) {
    const body = {
      model: "auto",
      messages: [{ role: "user" as const, content }],
      response_format: { type: "json_schema" as const, json_schema: { name: "person", strict: true, schema } },
    };
    const whole = stream
      ? await openai.chat.completions.stream(body).finalChatCompletion()
      : await openai.chat.completions.parse(body);
    return { parsed: whole.choices[0]?.message.parsed, end: whole.choices[0]?.finish_reason };
  },
  async messages(content, stream, schema) {
    const body = {
      model: "auto",
      max_tokens: 1_000,
      messages: [{ role: "user" as const, content }],
      output_config: { format: jsonSchemaOutputFormat(schema) },
    };
    const whole = stream ? await anthropic.messages.stream(body).finalMessage() : await anthropic.messages.parse(body);
    return { parsed: whole.parsed_output, end: whole.stop_reason };
  },
  async responses(input, stream, schema) {
    const body = {
      model: "auto",
      input,
      text: { format: { type: "json_schema" as const, name: "person", strict: true, schema } },
    };
    const whole = stream ? await openai.responses.stream(body).finalResponse() : await openai.responses.parse(body);
    return { parsed: whole.output_parsed, end: whole.status };
  },
};
const ends: Readonly<Record<string, string>> = { chat: "stop", messages: "end_turn", responses: "completed" };

describe.each(Object.keys(doors))("an answer that has to be JSON, at the door %s", (door) => {
  // In the short run each door answers in one of the two ways, and each way is some door's.
  const ways = isFullRun() ? [false, true] : [door !== "messages"];
  it.each(ways)("is what the SDK's own parser takes, however the agent says it (stream: %s)", async (stream) => {
    const before = home.turns().length;
    const asked = Object.keys(manners).map(async (manner) => {
      const answer = await doors[door]?.(`Who is she? ${door} ${stream}/${manner}`, stream, person);
      return [manner, answer];
    });
    const answers = Object.fromEntries(await Promise.all(asked)) as unknown;
    expect({ answers, agents: home.turns().length - before }).toEqual({
      answers: Object.fromEntries(Object.keys(manners).map((manner) => [manner, { parsed: ada, end: ends[door] }])),
      agents: Object.values(manners).reduce((sum, { agents }) => sum + agents, 0),
    });
    // The second question is about words alone: no work is done again.
    expect(existsSync(join(home.workspace, `${slug(`${door} ${stream}/prose`)}.txt`))).toBe(true);
  });

  it.each(ways)("fails for good where the agent never gives it: no SDK asks again (stream: %s)", async (stream) => {
    const before = home.turns().length;
    const error = await doors[door]?.(`never ${door} ${stream}`, stream, never).then(
      () => "answered",
      (reason: { status?: number; message: string }) => ({ status: reason.status, message: reason.message }),
    );
    expect({ error, agents: home.turns().length - before }).toEqual({
      error: { status: expect.any(Number), message: expect.stringContaining("not in the format that was demanded") },
      agents: 2,
    });
  });
});

it("any JSON object is one where no schema is named", async () => {
  const { choices } = await openai.chat.completions.create({
    model: "auto",
    messages: [{ role: "user", content: "any object" }],
    response_format: { type: "json_object" },
  });
  expect(choices[0]?.message.content).toBe('{"a":1}');
});

it("a schema that is none is refused before an agent starts, by the field that it stands in", async () => {
  const before = home.turns().length;
  const bad = { type: "json_schema" as const, name: "x", schema: { type: "nothing" } };
  const codeOf = (asked: PromiseLike<unknown>): PromiseLike<unknown> =>
    asked.then(
      () => "answered",
      ({ status, message }: { status: number; message: string }) => [
        status,
        /[\w.]+: is no JSON Schema/.exec(message)?.[0],
      ],
    );
  const messages = [{ role: "user" as const, content: "x" }];
  expect({
    chat: await codeOf(
      openai.chat.completions.create({
        model: "auto",
        messages,
        response_format: { type: "json_schema", json_schema: bad },
      }),
    ),
    responses: await codeOf(openai.responses.create({ model: "auto", input: "x", text: { format: bad } })),
    messages: await codeOf(
      anthropic.messages.create({ model: "auto", max_tokens: 10, messages, output_config: { format: bad } }),
    ),
    agents: home.turns().length - before,
  }).toEqual({
    chat: [400, "response_format.json_schema.schema: is no JSON Schema"],
    responses: [400, "text.format.schema: is no JSON Schema"],
    messages: [400, "output_config.format.schema: is no JSON Schema"],
    agents: 0,
  });
});
