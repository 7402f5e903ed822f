import type { AgentEvent } from "@caret/protocol";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import {
  aborted,
  begins,
  calls,
  createScriptedConversations,
  ends,
  type Script,
  says,
} from "../../openai/testing/scripted-answers.ts";
import { type ServedDoor, serveDoor } from "../../openai/testing/serve-door.ts";
import { createMemoryItemStore, type ResponseArchive } from "../item-store.ts";
import { responsesDoor } from "../route.ts";
import { sharedArchive } from "../testing/shared-archive.ts";

let made = 0;

function serve(script: Script, archive: ResponseArchive = sharedArchive()): Promise<ServedDoor> {
  return serveDoor(
    responsesDoor({
      conversations: createScriptedConversations(script),
      now: () => 5000,
      newId: () => String(++made),
      showActivity: "reasoning",
      keepAliveMs: 60_000,
      items: createMemoryItemStore({ archive }),
    }),
  );
}

const clientOf = ({ url }: ServedDoor, user = "ada") =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "x", defaultHeaders: { "x-tester": user }, maxRetries: 0 });

const hello: Script = () => [says("Hi."), [ends]];

async function statusOf(asking: Promise<unknown>): Promise<number> {
  try {
    await asking;
    return 200;
  } catch (reason) {
    return reason instanceof OpenAI.APIError ? (reason.status ?? 0) : 0;
  }
}

describe("a stored response", () => {
  it("is what was answered, as it was answered", async () => {
    await using door = await serve(hello);
    const client = clientOf(door);
    const { output_text: _, ...made } = await client.responses.create({
      model: "auto",
      input: "Hello",
      metadata: { a: "b" },
    });
    const { output_text: _text, ...stored } = await client.responses.retrieve(made.id);
    expect(stored).toEqual(made);
  });

  it("is what the end of its stream was", async () => {
    await using door = await serve(hello);
    const client = clientOf(door);
    const made = await client.responses.stream({ model: "auto", input: "Hello" }).finalResponse();
    const { output_text: _text, ...stored } = await client.responses.retrieve(made.id);
    expect(made).toMatchObject(stored);
  });

  it("lists what it went on from in pages, last first, with the responses that it continues", async () => {
    await using door = await serve(() => [[begins, calls("c1", "read", { path: "x" })]]);
    const client = clientOf(door);
    const tools = [{ type: "function" as const, name: "read", parameters: {}, strict: true }];
    const input = [
      { role: "developer" as const, content: "Rules." },
      { id: "mine", role: "user" as const, content: [{ type: "input_text" as const, text: "Read x" }] },
    ] as never;
    const first = await client.responses.create({ model: "auto", input, tools });
    const output = [{ type: "function_call_output" as const, call_id: "c1", output: "text" }];
    const second = await client.responses.create({ model: "auto", previous_response_id: first.id, input: output });
    const listed: string[] = [];
    for await (const { type, id } of client.responses.inputItems.list(second.id, { limit: 1, order: "asc" }))
      listed.push(id === "mine" || type === "function_call" ? id : type);
    const page = await client.responses.inputItems.list(second.id, { limit: 2 });
    const callId = first.output[0]?.id ?? "";
    expect([listed, page.data.map(({ type }) => type), page.has_more, page.data.at(-1)?.id === listed[2]]).toEqual([
      ["message", "mine", callId, "function_call_output"],
      ["function_call_output", "function_call"],
      true,
      true,
    ]);
    expect(page.data[0]).toMatchObject({ call_id: "c1", output: "text", status: "completed" });
  });

  it.each([
    ["/input_items?limit=0", 400],
    ["/input_items?limit=101", 400],
    ["/input_items?order=up", 400],
    ["/input_items?after=nothing", 400],
    ["?stream=maybe", 400],
    ["?stream=true", 400],
    ["?stream=true&starting_after=-1", 400],
    ["?include[]=message.output_text.logprobs", 200],
  ])("is asked for by %s: %i", async (query, status) => {
    await using door = await serve(hello);
    const { id } = await clientOf(door).responses.create({ model: "auto", input: "Hello" });
    const reply = await fetch(`${door.url}/v1/responses/${id}${query}`, { headers: { "x-tester": "ada" } });
    expect(reply.status).toBe(status);
  });

  it("is gone with its session, also where it was made", async () => {
    const archive = sharedArchive();
    await using door = await serve(hello, archive);
    const { id } = await clientOf(door).responses.create({ model: "auto", input: "Hello" });
    expect(await statusOf(clientOf(door).responses.retrieve(id))).toBe(200);
    archive.clear();
    const { responses } = clientOf(door);
    expect([await statusOf(responses.retrieve(id)), await statusOf(responses.inputItems.list(id))]).toEqual([404, 404]);
  });

  it("refuses the result of a call that was never made, where all of its past is known", async () => {
    await using door = await serve(hello);
    const client = clientOf(door);
    const { id } = await client.responses.create({ model: "auto", input: "Hello" });
    const input = [{ type: "function_call_output" as const, call_id: "c9", output: "?" }];
    await expect(client.responses.create({ model: "auto", previous_response_id: id, input })).rejects.toThrow(
      '400 input: no tool call was made with the call_id "c9".',
    );
  });

  it("is cancelled only when it runs in the background, whatever its empty body is called", async () => {
    await using door = await serve(hello);
    const { id } = await clientOf(door).responses.create({ model: "auto", input: "Hello" });
    const answers = await Promise.all(
      [undefined, "application/json"].map(async (type) => {
        const headers = { "x-tester": "ada", ...(type === undefined ? {} : { "content-type": type }) };
        const reply = await fetch(`${door.url}/v1/responses/${id}/cancel`, { method: "POST", headers });
        return [reply.status, ((await reply.json()) as { error: { message: string } }).error.message];
      }),
    );
    const refusal = [400, "Only a response that was made with `background: true` can be cancelled."];
    expect(answers).toEqual([refusal, refusal]);
  });
});

/** Says one word at a time, each when the test says so. */
function saidWordByWord() {
  const steps: (() => void)[] = [];
  const gates = ["One ", "two ", "three."].map(() => {
    const { promise, resolve } = Promise.withResolvers<void>();
    steps.push(resolve);
    return promise;
  });
  const script: Script = async function* (_request, signal) {
    yield [{ type: "text-start", blockId: "b" }] as AgentEvent[];
    for (const [index, text] of ["One ", "two ", "three."].entries()) {
      await Promise.race([gates[index], aborted(signal)]);
      if (signal.aborted) return;
      yield [{ type: "text-delta", blockId: "b", text }] as AgentEvent[];
    }
    yield [{ type: "text-end", blockId: "b" }, ends] as AgentEvent[];
  };
  return { script, say: (index: number) => steps[index]?.() };
}

describe("a response in the background", () => {
  it("runs without its client, and is read, followed and taken up in the middle by its id", async () => {
    const { script, say } = saidWordByWord();
    await using door = await serve(script);
    const client = clientOf(door);
    const begun = await client.responses.create({ model: "auto", input: "Count", background: true });
    expect([begun.status, begun.background, begun.output]).toEqual(["in_progress", true, []]);
    const seen: { readonly type: string; readonly sequence_number: number }[] = [];
    const reading = await client.responses.retrieve(begun.id, { stream: true });
    say(0);
    for await (const event of reading) {
      seen.push(event);
      if (event.type === "response.output_text.delta") break;
    }
    expect((await client.responses.retrieve(begun.id)).status).toBe("in_progress");
    say(1);
    say(2);
    const rest = await client.responses.retrieve(begun.id, {
      stream: true,
      starting_after: seen.at(-1)?.sequence_number ?? -1,
    });
    for await (const event of rest) seen.push(event);
    const text = seen.flatMap((event) => ("delta" in event ? [event.delta] : [])).join("");
    const final = await client.responses.retrieve(begun.id);
    expect([text, seen.map(({ sequence_number }) => sequence_number), seen.at(-1)?.type, final.output_text]).toEqual([
      "One two three.",
      seen.map((_, index) => index),
      "response.completed",
      "One two three.",
    ]);
  });

  it("is no past to go on from before its end", async () => {
    const { script, say } = saidWordByWord();
    await using door = await serve(script);
    const { responses } = clientOf(door);
    const { id } = await responses.create({ model: "auto", input: "Count", background: true });
    const next = { model: "auto", input: "More", previous_response_id: id };
    await expect(responses.create(next)).rejects.toThrow("400 previous_response_id: this response has not ended");
    for (const index of [0, 1, 2]) say(index);
    for await (const _ of await responses.retrieve(id, { stream: true }));
    expect((await responses.create(next)).status).toBe("completed");
    const { data } = await responses.inputItems.list(id);
    expect(data.map((item) => ("content" in item ? item.content : item))).toEqual([
      [{ type: "input_text", text: "Count" }],
    ]);
  });

  it("is cancelled once, and stays so", async () => {
    const { script } = saidWordByWord();
    await using door = await serve(script);
    const client = clientOf(door);
    const { id } = await client.responses.create({ model: "auto", input: "Count", background: true });
    const cancelled = await client.responses.cancel(id);
    const again = await client.responses.cancel(id);
    const read = await client.responses.retrieve(id);
    expect([cancelled.status, cancelled.error, again.status, read.status]).toEqual([
      "cancelled",
      null,
      "cancelled",
      "cancelled",
    ]);
    await expect(
      client.responses.create({ model: "auto", input: "x", previous_response_id: "resp_0" }),
    ).rejects.toThrow();
  });

  it("is seen at another gateway of a fleet, also after it was deleted, and by no other user", async () => {
    const archive = sharedArchive();
    const { script, say } = saidWordByWord();
    await using one = await serve(script, archive);
    await using other = await serve(script, archive);
    const { id } = await clientOf(one).responses.create({ model: "auto", input: "Count", background: true });
    const there = clientOf(other).responses;
    expect([(await there.retrieve(id)).status, await statusOf(clientOf(one, "bob").responses.retrieve(id))]).toEqual([
      "in_progress",
      404,
    ]);
    expect(await statusOf(clientOf(one, "bob").responses.cancel(id))).toBe(404);
    for (const index of [0, 1, 2]) say(index);
    const stream = await clientOf(one).responses.retrieve(id, { stream: true });
    for await (const _ of stream);
    expect((await there.retrieve(id)).output_text).toBe("One two three.");
    await there.delete(id);
    expect(await statusOf(there.retrieve(id))).toBe(404);
  });

  it("stays deleted when it was deleted at another gateway while it ran", async () => {
    const archive = sharedArchive();
    const { script, say } = saidWordByWord();
    await using one = await serve(script, archive);
    await using other = await serve(script, archive);
    const here = clientOf(one).responses;
    const { id } = await here.create({ model: "auto", input: "Count", background: true });
    await clientOf(other).responses.delete(id);
    const stream = await here.retrieve(id, { stream: true });
    for (const index of [0, 1, 2]) say(index);
    for await (const _ of stream);
    expect([await statusOf(here.retrieve(id)), await statusOf(clientOf(other).responses.retrieve(id))]).toEqual([
      404, 404,
    ]);
  });

  it("has failed when the gateway that made it is gone", async () => {
    const archive = sharedArchive();
    const { script } = saidWordByWord();
    await using one = await serve(script, archive);
    const { id } = await clientOf(one).responses.create({ model: "auto", input: "Count", background: true });
    await using later = await serveDoor(
      responsesDoor({
        conversations: createScriptedConversations(hello),
        now: () => 5000 + 60_000,
        newId: () => String(++made),
        showActivity: "none",
        keepAliveMs: 60_000,
        items: createMemoryItemStore({ archive }),
      }),
    );
    const read = await clientOf(later).responses.retrieve(id);
    expect([read.status, read.error?.message]).toEqual(["failed", "The gateway that made this response is gone."]);
  });

  it("says at once why it cannot begin", async () => {
    await using door = await serve(hello);
    await expect(
      clientOf(door).responses.create({ model: "auto", input: "Count", background: true, store: false }),
    ).rejects.toThrow("400 background: a response that nobody waits for has to be stored");
  });
});
