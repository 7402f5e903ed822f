import { type AgentEvent, CaretError } from "@caret/protocol";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import {
  aborted,
  begins,
  calls,
  createScriptedConversations,
  ends,
  fails,
  type ScriptedConversations,
  says,
  thinks,
} from "../openai/testing/scripted-answers.ts";
import { type ServedDoor, serveDoor } from "../openai/testing/serve-door.ts";
import { createMemoryItemStore } from "./item-store.ts";
import { type ResponsesDoorOptions, responsesDoor } from "./route.ts";

const usage: AgentEvent = { type: "usage", usage: { input: 3, output: 2 } };
const crashed = new CaretError("agent-crashed", "The agent crashed").toInfo();

function serve(
  conversations: ScriptedConversations,
  options: Pick<ResponsesDoorOptions, "items"> = {},
): Promise<ServedDoor> {
  let count = 0;
  const newId = () => String(++count);
  return serveDoor(
    responsesDoor({
      conversations: conversations,
      now: () => 5000,
      newId,
      showActivity: "reasoning",
      keepAliveMs: 60_000,
      ...options,
    }),
  );
}

const clientOf = ({ url }: ServedDoor) => new OpenAI({ baseURL: `${url}/v1`, apiKey: "x" });
const textOf = (conversations: ScriptedConversations, index: number) =>
  JSON.stringify(conversations.opened[index]?.request.messages);

describe("the official SDK at /v1/responses", () => {
  it("gets a whole response", async () => {
    await using door = await serve(
      createScriptedConversations(() => [[begins], thinks("Hm."), says("Hi."), [usage, ends]]),
    );
    const response = await clientOf(door).responses.create({ model: "auto", input: "Hello", instructions: "Be kind." });
    expect([response.id, response.status, response.output_text, response.instructions, response.usage]).toEqual([
      "resp_1",
      "completed",
      "Hi.",
      "Be kind.",
      {
        input_tokens: 3,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: 2,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 5,
      },
    ]);
  });

  it("builds the same response from the stream", async () => {
    await using door = await serve(
      createScriptedConversations(() => [[begins], thinks("Hm."), says("Hi."), [usage, ends]]),
    );
    const stream = clientOf(door).responses.stream({ model: "auto", input: "Hello" });
    const types: string[] = [];
    stream.on("event", ({ type }) => types.push(type));
    const { output_text, output } = await stream.finalResponse();
    expect([output_text, output.map(({ type }) => type), types[0], types.at(-1)]).toEqual([
      "Hi.",
      ["reasoning", "message"],
      "response.created",
      "response.completed",
    ]);
  });

  it("gets a call with its namespace and sends the result by previous_response_id", async () => {
    const conversations = createScriptedConversations(({ messages }) =>
      messages.at(-1)?.role === "tool" ? [says("Done."), [ends]] : [[begins, calls("c1", "read", { path: "x" })]],
    );
    await using door = await serve(conversations);
    const client = clientOf(door);
    const tools = [{ type: "namespace", name: "fs", tools: [{ type: "function", name: "read" }] }] as never;
    const first = await client.responses.create({ model: "auto", input: "Read x", tools });
    const second = await client.responses.create({
      model: "auto",
      previous_response_id: first.id,
      input: [{ type: "function_call_output", call_id: "c1", output: "text of x" }],
    });
    expect([first.output, second.output_text, conversations.opened[1]?.request.messages]).toEqual([
      [
        {
          id: "fc_2",
          type: "function_call",
          status: "completed",
          call_id: "c1",
          name: "read",
          arguments: '{"path":"x"}',
          namespace: "fs",
        },
      ],
      "Done.",
      [
        { role: "user", parts: [{ kind: "text", text: "Read x" }] },
        { role: "assistant", text: "", calls: [{ callId: "c1", name: "read", input: { path: "x" } }] },
        { role: "tool", callId: "c1", parts: [{ kind: "text", text: "text of x" }], isError: false },
      ],
    ]);
  });

  it.each([true, false])("may refer to what was answered, streamed or not (stream: %s)", async (stream) => {
    const conversations = createScriptedConversations(() => [says("A fine answer."), [ends]]);
    await using door = await serve(conversations);
    const client = clientOf(door);
    const answered = await client.responses.create({ model: "auto", input: "One", stream });
    if (Symbol.asyncIterator in answered) for await (const _ of answered);
    const input = [
      { role: "user" as const, content: "One" },
      { type: "item_reference" as const, id: "msg_2" },
      { role: "user" as const, content: "Two" },
    ];
    await client.responses.create({ model: "auto", input });
    expect(textOf(conversations, 1)).toContain("A fine answer.");
  });

  it("keeps nothing of a response that is not to be stored", async () => {
    await using door = await serve(createScriptedConversations(() => [says("Hi."), [ends]]));
    const client = clientOf(door);
    const { id } = await client.responses.create({ model: "auto", input: "One", store: false });
    await expect(client.responses.create({ model: "auto", input: "Two", previous_response_id: id })).rejects.toThrow(
      `400 There is no response "${id}" any more.`,
    );
  });

  it("raises a failure in the middle of the stream", async () => {
    await using door = await serve(createScriptedConversations(() => [says("Half"), [fails(crashed)]]));
    const reading = (async () => {
      for await (const _ of await clientOf(door).responses.create({ model: "auto", input: "Hello", stream: true }));
    })();
    await expect(reading).rejects.toThrow("The agent crashed.");
  });

  it("gets a status for a failure before the first word", async () => {
    const busy = new CaretError("session-corrupt", "The session cannot be read", { retryable: false }).toInfo();
    const conversations = createScriptedConversations(() => [[begins], [fails(busy)]]);
    await using door = await serve(conversations);
    await expect(clientOf(door).responses.create({ model: "auto", input: "Hello", stream: true })).rejects.toThrow(
      "424 The session cannot be read.",
    );
    expect(conversations.opened.length).toBe(1);
  });
});

it("refuses a bad request before any turn starts", async () => {
  const conversations = createScriptedConversations(() => [[ends]]);
  await using door = await serve(conversations);
  const reply = await door.app.inject({ method: "POST", url: "/v1/responses", payload: { input: [] } });
  expect([reply.statusCode, reply.json().error.message, conversations.opened.length]).toEqual([
    400,
    "input: must hold at least one item.",
    0,
  ]);
});

it("leaves the turn of a client that went away while its references were looked up", async () => {
  const [lookedUp, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const items = createMemoryItemStore();
  const slow = {
    ...items,
    async recall(...asked: Parameters<typeof items.recall>) {
      lookedUp.resolve();
      await gone.promise;
      return await items.recall(...asked);
    },
  };
  const conversations = createScriptedConversations(async function* (_, signal) {
    yield says("Half");
    await aborted(signal);
  });
  await using door = await serve(conversations, { items: slow });
  door.app.server.on("connection", (socket) => socket.once("close", () => gone.resolve()));
  const leaving = new AbortController();
  const asking = clientOf(door).responses.create({ model: "auto", input: "Hello" }, { signal: leaving.signal });
  await lookedUp.promise;
  leaving.abort();
  await expect(asking).rejects.toThrow("abort");
  await expect(conversations.left).resolves.toBe("gone");
});
