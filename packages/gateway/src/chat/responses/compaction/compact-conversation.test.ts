import { Secret } from "@caret/protocol";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { createScriptedConversations, ends, type Script, says } from "../../openai/testing/scripted-answers.ts";
import { type ServedDoor, serveDoor } from "../../openai/testing/serve-door.ts";
import { responsesDoor } from "../route.ts";
import { createCompactionSeal } from "./compaction-seal.ts";

let made = 0;

async function serve(script: Script, key = "the key of a gateway in a test") {
  const conversations = createScriptedConversations(script);
  const door = await serveDoor(
    responsesDoor({
      conversations,
      now: () => 5000,
      newId: () => String(++made),
      showActivity: "reasoning",
      keepAliveMs: 60_000,
      seal: createCompactionSeal(() => new Secret(key)),
    }),
  );
  return { ...door, conversations };
}

const clientOf = ({ url }: Pick<ServedDoor, "url">, user = "ada") =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "x", defaultHeaders: { "x-tester": user }, maxRetries: 0 });

const summing: Script = ({ isSideCall }) => [says(isSideCall === true ? "They agreed on Tuesday." : "OK."), [ends]];

const input = [
  { role: "developer" as const, content: "Rules." },
  { role: "user" as const, content: "We launch on Tuesday." },
  { role: "assistant" as const, content: "Understood." },
];

describe("a compacted conversation", () => {
  it("is what was said to the agent and a sealed summary, which stands for the rest in a later request", async () => {
    await using door = await serve(summing);
    const client = clientOf(door);
    const compacted = await client.responses.compact({ model: "auto", input });
    expect(compacted).toMatchObject({
      object: "response.compaction",
      created_at: 5,
      output: [
        { type: "message", role: "developer", status: "completed", content: [{ type: "input_text", text: "Rules." }] },
        { type: "message", role: "user", content: [{ type: "input_text", text: "We launch on Tuesday." }] },
        { type: "compaction", id: expect.stringMatching(/^cmp_/) },
      ],
      usage: { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
    });
    expect(JSON.stringify(compacted)).not.toContain("agreed");
    const next = [...compacted.output, { role: "user" as const, content: "When?" }] as typeof input;
    await client.responses.create({ model: "auto", input: next });
    const [asked, later] = door.conversations.opened.map(({ request }) => request);
    expect([asked?.isSideCall, asked?.tools, asked?.messages.length, later?.system, later?.messages]).toEqual([
      true,
      [],
      3,
      "Rules.",
      [
        { role: "user", parts: [{ kind: "text", text: "We launch on Tuesday." }] },
        { role: "assistant", text: "[A summary of the conversation up to here]\n\nThey agreed on Tuesday.", calls: [] },
        { role: "user", parts: [{ kind: "text", text: "When?" }] },
      ],
    ]);
  });

  it("continues a stored response, with all that it continued", async () => {
    await using door = await serve(summing);
    const client = clientOf(door);
    const first = await client.responses.create({ model: "auto", input: "One" });
    const { id } = await client.responses.create({ model: "auto", input: "Two", previous_response_id: first.id });
    const { output } = await client.responses.compact({ model: "auto", previous_response_id: id });
    expect(output.map((item) => ("content" in item ? item.content : item.type))).toEqual([
      [{ type: "input_text", text: "One" }],
      [{ type: "input_text", text: "Two" }],
      "compaction",
    ]);
  });

  it.each([
    ["of another user's", "bob", "the key of a gateway in a test", (sealed: string) => sealed],
    ["of another gateway's", "ada", "the key of another gateway", (sealed: string) => sealed],
    [
      "that was changed",
      "ada",
      "the key of a gateway in a test",
      (sealed: string) => (sealed.startsWith("A") ? "B" : "A") + sealed.slice(1),
    ],
    ["that is nothing", "ada", "the key of a gateway in a test", () => "AAAA"],
  ])("%s is refused, and loses nothing silently", async (_, user, key, change) => {
    await using door = await serve(summing);
    await using other = await serve(summing, key);
    const { output } = await clientOf(door).responses.compact({ model: "auto", input });
    const item = output.at(-1);
    const sealed = item?.type === "compaction" ? item.encrypted_content : "";
    const compaction = { type: "compaction" as const, encrypted_content: change(sealed) };
    const asking = clientOf(other, user).responses.create({
      model: "auto",
      input: [compaction, { role: "user", content: "When?" }],
    });
    await expect(asking).rejects.toThrow("400 input[0].encrypted_content: was not made by this gateway for you");
    expect(other.conversations.opened.length).toBe(0);
  });

  it.each([
    [{ input }, "400 model: must be a string."],
    [{ model: "auto" }, "400 input: there is nothing to compact."],
    [{ model: "auto", input: [] }, "400 input: there is nothing to compact."],
    [{ model: "auto", previous_response_id: "resp_x" }, '400 There is no response "resp_x" any more.'],
  ])("is refused for %j: %s", async (body, message) => {
    await using door = await serve(summing);
    await expect(clientOf(door).responses.compact(body as never)).rejects.toThrow(message);
  });

  it("fails as its agent does, and when that says nothing", async () => {
    await using door = await serve(() => [[ends]]);
    await expect(clientOf(door).responses.compact({ model: "auto", input })).rejects.toThrow(
      "424 The agent wrote no summary.",
    );
  });
});

it("estimates the tokens of a request, with what it continues and its tools", async () => {
  await using door = await serve(summing);
  const { responses } = clientOf(door);
  const { id } = await responses.create({ model: "auto", input: "12345678" });
  const count = async (body: object) => (await responses.inputTokens.count(body)).input_tokens;
  expect([
    await responses.inputTokens.count({ model: "auto", input: "12345678" }),
    await count({}),
    await count({ input: "12345678", instructions: "1234" }),
    (await count({ previous_response_id: id, input: "12345678" })) > 4,
  ]).toEqual([{ object: "response.input_tokens", input_tokens: 2 }, 0, 3, true]);
  expect(door.conversations.opened.length).toBe(1);
});
