import type Anthropic from "@anthropic-ai/sdk";
import { type AgentEvent, CaretError } from "@caret/protocol";
import type OpenAI from "openai";
import { expect, it } from "vitest";
import { z } from "zod";
import { toMessage } from "./anthropic/answer.ts";
import { MessageStream } from "./anthropic/stream.ts";
import { toCompletion } from "./openai/answer.ts";
import { ChatStream } from "./openai/stream.ts";
import type { AnswerEnding } from "./serve-answer.ts";

/** What the types of the official SDKs promise: every field is there, and no unpublished one. */
type Shape<Published> = { readonly [Field in keyof Published]-?: z.ZodType };

const count = z.int().nonnegative();
const usage = {
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  input_tokens: count,
  output_tokens: count,
  output_tokens_details: z.strictObject({ thinking_tokens: count }).nullable(),
  server_tool_use: z.null(),
} satisfies Shape<Anthropic.MessageDeltaUsage>;
const ours = { caret_estimated: z.literal(true).optional(), cost: z.number().optional() };

const direct = z.strictObject({ type: z.literal("direct") });
const blocks = z.discriminatedUnion("type", [
  // Without empty citations, as Anthropic's servers send it: the AI SDK rejects null.
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
  z.strictObject({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown(), caller: direct }),
]);
const stop = {
  stop_reason: z.enum(["end_turn", "tool_use", "max_tokens", "stop_sequence"]),
  stop_sequence: z.string().nullable(),
  stop_details: z.null(),
};

const message = {
  id: z.string().startsWith("msg_"),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string(),
  container: z.null(),
  diagnostics: z.null(),
  content: z.array(blocks),
  ...stop,
  usage: z.strictObject({
    ...usage,
    ...ours,
    cache_creation: z.null(),
    inference_geo: z.null(),
    service_tier: z.literal("standard"),
    speed: z.null(),
  }),
} satisfies Shape<Anthropic.Message>;

const index = count;
const anthropicEvent = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("message_start"),
    message: z.strictObject({ ...message, stop_reason: z.null(), stop_sequence: z.null() }),
  }),
  z.strictObject({ type: z.literal("content_block_start"), index, content_block: blocks }),
  z.strictObject({
    type: z.literal("content_block_delta"),
    index,
    delta: z.discriminatedUnion("type", [
      z.strictObject({ type: z.literal("text_delta"), text: z.string() }),
      z.strictObject({ type: z.literal("thinking_delta"), thinking: z.string() }),
      z.strictObject({ type: z.literal("input_json_delta"), partial_json: z.string() }),
    ]),
  }),
  z.strictObject({ type: z.literal("content_block_stop"), index }),
  z.strictObject({
    type: z.literal("message_delta"),
    delta: z.strictObject({ ...stop, container: z.null() }),
    usage: z.strictObject({ ...usage, ...ours }),
  }),
  z.strictObject({ type: z.literal("message_stop") }),
  z.strictObject({ type: z.literal("error"), error: z.looseObject({ type: z.string(), message: z.string() }) }),
]);

const call = z.strictObject({
  id: z.string(),
  type: z.literal("function"),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});
const chatUsage = z.looseObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count });
const finish = z.enum(["stop", "length", "tool_calls"]);
const chat = { id: z.string(), created: count, model: z.string(), service_tier: z.literal("default") };
const completion = z.strictObject({
  ...chat,
  object: z.literal("chat.completion"),
  choices: z.tuple([
    z.strictObject({
      index: z.literal(0),
      message: z.strictObject({
        role: z.literal("assistant"),
        content: z.string().nullable(),
        refusal: z.null(),
        annotations: z.tuple([]),
        reasoning_content: z.string().optional(),
        tool_calls: z.array(call).optional(),
      }),
      logprobs: z.null(),
      finish_reason: finish,
    } satisfies Shape<OpenAI.ChatCompletion.Choice>),
  ]),
  usage: chatUsage.optional(),
});
const chunk = z.strictObject({
  ...chat,
  object: z.literal("chat.completion.chunk"),
  choices: z.array(
    z.strictObject({
      index: z.literal(0),
      delta: z.strictObject({
        role: z.literal("assistant").optional(),
        refusal: z.null().optional(),
        content: z.string().optional(),
        reasoning_content: z.string().optional(),
        tool_calls: z.array(z.looseObject({ index: count })).optional(),
      }),
      logprobs: z.null(),
      finish_reason: finish.nullable(),
    } satisfies Shape<OpenAI.ChatCompletionChunk.Choice>),
  ),
  usage: chatUsage.nullable(),
});

const says: readonly AgentEvent[] = [
  { type: "thinking-start", blockId: "a" },
  { type: "thinking-delta", blockId: "a", text: "Hm." },
  { type: "thinking-end", blockId: "a" },
  { type: "text-start", blockId: "b" },
  { type: "text-delta", blockId: "b", text: "Hello." },
  { type: "text-end", blockId: "b" },
];
const calls: AgentEvent = {
  type: "tool-call",
  callId: "c1",
  name: "read",
  kind: "mcp",
  input: { path: "x" },
  owner: "client",
};
const counted: AgentEvent = { type: "usage", usage: { input: 3, output: 4, cacheRead: 5, reasoning: 2 } };

const answers: Readonly<Record<string, readonly AgentEvent[]>> = {
  nothing: [],
  words: [...says, counted],
  "words that nobody counted": says,
  "a call": [...says, calls],
  "a plan": [{ type: "plan", text: "# Plan" }],
};
const endings: Readonly<Record<string, AnswerEnding>> = {
  "to its end": { kind: "finished" },
  "to its limit": { kind: "finished", cut: { kind: "length" } },
  "to a stop sequence": { kind: "finished", cut: { kind: "stop-sequence", sequence: "X" } },
  "to a failure": { kind: "failed", error: new CaretError("agent-crashed", "It crashed").toInfo() },
};

const shared = {
  model: "auto",
  showActivity: "reasoning",
  count: { startsTurn: true, prompt: () => ({ fresh: 9, repeated: 0 }) },
} as const;
const chatOptions = { ...shared, id: "chatcmpl-1", created: 5, tools: [], includeUsage: true };
const messageOptions = { ...shared, id: "msg_1" };

const cases = Object.keys(answers).flatMap((what) => Object.keys(endings).map((how) => [what, how] as const));

it.each(cases)("Chat Completions and Messages are as they are published: %s, %s", (what, how) => {
  const events = answers[what] ?? [];
  const ending = endings[how] ?? { kind: "finished" };
  const stream = new MessageStream(messageOptions);
  const wire = stream.start() + stream.write(events) + stream.end(ending);
  for (const frame of wire.split("\n\n").slice(0, -1))
    anthropicEvent.parse(JSON.parse(frame.split("\ndata: ")[1] ?? ""));
  const chatStream = new ChatStream(chatOptions);
  const chunks = (chatStream.write(events) + chatStream.end(ending)).split("\n\n").slice(0, -1);
  expect(chunks.pop()).toBe("data: [DONE]");
  for (const text of chunks) {
    const value = JSON.parse(text.replace(/^data: /, "")) as object;
    if (!("error" in value)) chunk.parse(value);
  }
  if (ending.kind === "failed") return;
  completion.parse(toCompletion(events, chatOptions, ending.cut));
  z.strictObject(message).parse(toMessage(events, messageOptions, ending.cut));
});
