import OpenAI from "openai";
import type { ChatCompletionChunk, ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

const home = new GatewayHome({
  turns: [
    { when: "^Ponder", steps: [{ thinking: "Let me see." }, { text: "Done pondering." }] },
    { when: "^Look", steps: [{ tool: { name: "ls", args: { path: "." } } }, { text: "I have looked." }] },
  ],
});
let gateway: GatewayProcess;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startGateway(home);
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.token, maxRetries: 0 });
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

const user = (content: string): ChatCompletionMessageParam => ({ role: "user", content });

async function streamed(messages: ChatCompletionMessageParam[]): Promise<ChatCompletionChunk[]> {
  const request = { model: "auto", messages, stream: true, stream_options: { include_usage: true } } as const;
  return await Array.fromAsync(await client.chat.completions.create(request));
}

function textOf(chunks: readonly ChatCompletionChunk[]): string {
  return chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
}

/** What this door adds to OpenAI's own fields, as OpenRouter and others do. */
function reasoningOf(message: object | undefined): string {
  return (message as { reasoning_content?: string } | undefined)?.reasoning_content ?? "";
}

describe("chat completions with OpenAI's client", () => {
  it("answer whole, and remember what was said before", async () => {
    const first = [user("My name is Ada, and I ask for whole answers")];
    const answer = await client.chat.completions.create({ model: "auto", messages: first });
    const said = answer.choices[0]?.message ?? { role: "assistant", content: "" };
    const again = await client.chat.completions.create({
      model: "auto",
      messages: [...first, said, user("What is my name?")],
    });
    expect({
      finish: answer.choices[0]?.finish_reason,
      content: again.choices[0]?.message.content,
      hasUsage: again.usage !== undefined,
    }).toEqual({ finish: "stop", content: "Your name is Ada.", hasUsage: true });
  });

  it("stream, with one role, one end and the usage last, and remember", async () => {
    const first = [user("My name is Grace, and I ask for streams")];
    const answer = await streamed(first);
    const again = await streamed([...first, { role: "assistant", content: textOf(answer) }, user("What is my name?")]);
    expect({
      text: textOf(again),
      role: again[0]?.choices[0]?.delta.role,
      finishes: again.flatMap(({ choices }) => choices[0]?.finish_reason ?? []),
      lastChoices: again.at(-1)?.choices,
      isCounted: (again.at(-1)?.usage?.total_tokens ?? 0) > 0,
    }).toEqual({
      text: "Your name is Grace.",
      role: "assistant",
      finishes: ["stop"],
      lastChoices: [],
      isCounted: true,
    });
  });

  it("stream through the helper of the client, and remember", async () => {
    const first = [user("My name is Joan, and I ask with the helper")];
    const answer = client.chat.completions.stream({ model: "auto", messages: first });
    const content = await answer.finalContent();
    const next = [...first, { role: "assistant", content } as const, user("What is my name?")];
    const again = client.chat.completions.stream({ model: "auto", messages: next });
    const pieces: string[] = [];
    again.on("content", (piece) => pieces.push(piece));
    const whole = await again.finalChatCompletion();
    expect([pieces.join(""), whole.choices[0]?.message.content, whole.choices[0]?.finish_reason]).toEqual([
      "Your name is Joan.",
      "Your name is Joan.",
      "stop",
    ]);
  });

  it("show the agent's thinking beside the answer", async () => {
    const chunks = await streamed([user("Ponder this")]);
    const thoughts = chunks.map(({ choices }) => reasoningOf(choices[0]?.delta)).join("");
    expect([thoughts.trim(), textOf(chunks)]).toEqual(["Let me see.", "Done pondering."]);
  });

  it("show what the agent does as reasoning, and never as a call the client would run", async () => {
    const chunks = await streamed([user("Look around")]);
    const whole = await client.chat.completions.create({ model: "auto", messages: [user("Look once more")] });
    const [choice] = whole.choices;
    const listing = expect.stringMatching(/^→ ls: \S+$/);
    expect({
      streamedReasoning: chunks.map(({ choices }) => reasoningOf(choices[0]?.delta)).join(""),
      hasStreamedCalls: chunks.some(({ choices }) => choices[0]?.delta.tool_calls !== undefined),
      reasoning: reasoningOf(choice?.message),
      calls: choice?.message.tool_calls,
      texts: [textOf(chunks), choice?.message.content],
    }).toEqual({
      streamedReasoning: listing,
      hasStreamedCalls: false,
      reasoning: listing,
      calls: undefined,
      texts: ["I have looked.", "I have looked."],
    });
  });
});

describe("responses with OpenAI's client", () => {
  it("answer whole, and go on from a response by its id", async () => {
    const answer = await client.responses.create({ model: "auto", input: "My name is Mary" });
    const again = await client.responses.create({
      model: "auto",
      input: "What is my name?",
      previous_response_id: answer.id,
    });
    expect({ status: again.status, text: again.output_text, isCounted: (again.usage?.total_tokens ?? 0) > 0 }).toEqual({
      status: "completed",
      text: "Your name is Mary.",
      isCounted: true,
    });
  });

  it("stream, and remember a transcript that is sent whole", async () => {
    const first = [{ role: "user", content: "My name is Barbara" }] as const;
    const answer = await client.responses.create({ model: "auto", input: [...first], store: false });
    const answered = answer.output.flatMap((item) => (item.type === "message" ? [item] : []));
    const events = await Array.fromAsync(
      await client.responses.create({
        model: "auto",
        input: [...first, ...answered, { role: "user", content: "What is my name?" }],
        store: false,
        stream: true,
      }),
    );
    const text = events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");
    expect([events[0]?.type, text, events.at(-1)?.type]).toEqual([
      "response.created",
      "Your name is Barbara.",
      "response.completed",
    ]);
  });

  it("stream through the helper of the client, with thinking as reasoning and activity never as a call", async () => {
    const stream = client.responses.stream({ model: "auto", input: "Look about" });
    const { output, output_text, status } = await stream.finalResponse();
    expect([output.map(({ type }) => type), output_text, status]).toEqual([
      ["reasoning", "message"],
      "I have looked.",
      "completed",
    ]);
  });
});

describe("models with OpenAI's client", () => {
  it("are listed, auto first, and looked up by id", async () => {
    const models = await Array.fromAsync(client.models.list());
    const [first, second] = models;
    const one = await client.models.retrieve(second?.id ?? "");
    expect([first?.id, one.id, one.object]).toEqual(["auto", second?.id, "model"]);
  });
});
