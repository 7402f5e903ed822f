import Anthropic from "@anthropic-ai/sdk";
import type { ContentBlock, MessageParam } from "@anthropic-ai/sdk/resources/messages";
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
let client: Anthropic;

beforeAll(async () => {
  gateway = await startGateway(home);
  client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.token, maxRetries: 0 });
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

const user = (content: string): MessageParam => ({ role: "user", content });
const ask = (...messages: MessageParam[]) => ({ model: "auto", max_tokens: 1024, messages });

function textOf(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

describe("messages with Anthropic's client", () => {
  it.each([
    ["claude-opus-5-5", /^claude-opus-5\b/],
    ["claude-sonnet-5-5-20261015[1m]", /^claude-sonnet-5\b/],
    ["haiku", /^claude-sonnet-5\b/],
  ])("are answered under Claude Code's own model name %s", async (model, runs) => {
    const answer = await client.messages.create({ ...ask(user(`Hello, ${model}`)), model });
    expect(answer).toMatchObject({ stop_reason: "end_turn", model: expect.stringMatching(runs) });
  });

  it("answer whole, and remember what was said before", async () => {
    const first = user("My name is Ada, and I ask for whole answers");
    const answer = await client.messages.create(ask(first));
    const again = await client.messages.create(
      ask(first, { role: "assistant", content: answer.content }, user("What is my name?")),
    );
    expect({
      type: again.type,
      role: again.role,
      stopReason: again.stop_reason,
      text: textOf(again.content),
      isCounted: again.usage.output_tokens > 0,
    }).toEqual({
      type: "message",
      role: "assistant",
      stopReason: "end_turn",
      text: "Your name is Ada.",
      isCounted: true,
    });
  });

  it("stream, and remember", async () => {
    const first = user("My name is Grace, and I ask for streams");
    const answer = await client.messages.stream(ask(first)).finalMessage();
    const events = await Array.fromAsync(
      await client.messages.create({
        ...ask(first, { role: "assistant", content: answer.content }, user("What is my name?")),
        stream: true,
      }),
    );
    const said = events.map((event) =>
      event.type === "content_block_delta" && event.delta.type === "text_delta" ? event.delta.text : "",
    );
    expect([said.join(""), events[0]?.type, events.slice(-2).map(({ type }) => type)]).toEqual([
      "Your name is Grace.",
      "message_start",
      ["message_delta", "message_stop"],
    ]);
  });

  it("stream through the helper of the client, and remember", async () => {
    const first = user("My name is Joan, and I ask with the helper");
    const answer = await client.messages.stream(ask(first)).finalMessage();
    const stream = client.messages.stream(
      ask(first, { role: "assistant", content: answer.content }, user("What is my name?")),
    );
    const pieces: string[] = [];
    stream.on("text", (piece) => pieces.push(piece));
    const { stop_reason } = await stream.finalMessage();
    expect([pieces.join(""), await stream.finalText(), stop_reason]).toEqual([
      "Your name is Joan.",
      "Your name is Joan.",
      "end_turn",
    ]);
  });

  it("show the agent's thinking as a block of its own", async () => {
    const { content } = await client.messages.stream(ask(user("Ponder this"))).finalMessage();
    expect(content.map((block) => (block.type === "thinking" ? block.thinking.trim() : textOf([block])))).toEqual([
      "Let me see.",
      "Done pondering.",
    ]);
  });

  it("show what the agent does as thinking, and never as a call the client would run", async () => {
    const [streamed, whole] = [
      await client.messages.stream(ask(user("Look around"))).finalMessage(),
      await client.messages.create(ask(user("Look once more"))),
    ];
    const shown = [streamed, whole].map(({ content, stop_reason }) => [
      content.map((block) => (block.type === "thinking" ? block.thinking.trim() : block.type)),
      textOf(content),
      stop_reason,
    ]);
    const expected = [[expect.stringMatching(/^→ ls: \S+$/), "text"], "I have looked.", "end_turn"];
    expect(shown).toEqual([expected, expected]);
  });
});

describe("what Anthropic's client asks besides", () => {
  it("tokens are estimated without starting an agent", async () => {
    const before = home.turns().length;
    const { input_tokens } = await client.messages.countTokens({ model: "auto", messages: [user("x".repeat(400))] });
    expect([input_tokens, home.turns().length]).toEqual([100, before]);
  });

  it("models are listed in its own shape, auto first", async () => {
    const { data } = await client.models.list();
    const [first] = data;
    expect([first?.id, first?.type, (await client.models.retrieve("auto")).id]).toEqual(["auto", "model", "auto"]);
  });

  it("takes the token in either header", async () => {
    const byBearer = new Anthropic({ baseURL: gateway.url, apiKey: null, authToken: gateway.token, maxRetries: 0 });
    const response = await fetch(`${gateway.url}/v1/models`, { headers: { "x-api-key": gateway.token } });
    expect({ hasModels: (await byBearer.models.list()).data.length > 0, status: response.status }).toEqual({
      hasModels: true,
      status: 200,
    });
  });
});
