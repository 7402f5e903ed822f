import type { IncomingHttpHeaders } from "node:http";
import type { RequestedModel, TranscriptCall, TranscriptMessage } from "@caret/protocol";
import { z } from "zod";
import { invalidRequest, readBody } from "../../http/read-body.ts";
import { asksByInstruction } from "../asks-by-instruction.ts";
import { type RequestTools, type SentTool, toRequestTools } from "../client-tools.ts";
import { doorHeaders, sessionKeyOf } from "../door-headers.ts";
import type { DoorRequest } from "../door-request.ts";
import { ignoredFields } from "../ignored-fields.ts";
import { type Content, contentSchema, toParts, toText } from "../openai-content.ts";
import {
  customToolSchema,
  functionSchema,
  parseArguments,
  toCustomTool,
  toFunctionTool,
  toolChoiceSchema,
  toolName,
  toToolChoice,
} from "../openai-tools.ts";
import { answerFormatOf, formatInstruction, samplingOf } from "../sampling-and-format.ts";

const roles = ["system", "developer", "user", "assistant", "tool"] as const;
const callId = z.string("must be a string").min(1, "must not be empty");

const callSchema = z.looseObject({
  id: callId,
  function: z.looseObject({ name: toolName, arguments: z.string("must be a string") }).optional(),
  custom: z.looseObject({ name: toolName, input: z.string("must be a string") }).optional(),
});

const messageSchema = z.looseObject(
  {
    role: z.enum(roles, `must be one of ${roles.join(", ")}`),
    content: contentSchema,
    tool_calls: z.array(callSchema, "must be a list").nullish(),
    tool_call_id: callId.nullish(),
  },
  "must be an object",
);

type ChatMessage = z.infer<typeof messageSchema>;

export interface Transcript {
  readonly system: readonly string[];
  readonly messages: readonly TranscriptMessage[];
}

/** Gathers system and developer text in order; it can be anywhere in the messages. */
function toTranscript(chat: readonly ChatMessage[]): Transcript {
  const system: string[] = [];
  const messages: TranscriptMessage[] = [];
  for (const [index, message] of chat.entries()) {
    const path = `messages[${index}]`;
    if (message.role === "system" || message.role === "developer")
      system.push(toText(message.content, `${path}.content`, "\n"));
    else messages.push(toMessage(message, path));
  }
  const last = chat.at(-1)?.role;
  if ((last === "system" || last === "developer") && asksByInstruction(messages))
    messages.push({ role: "user", parts: [{ kind: "text", text: system.pop() ?? "" }] });
  return { system, messages };
}

function toMessage(message: ChatMessage, path: string): TranscriptMessage {
  const contentPath = `${path}.content`;
  if (message.role === "assistant")
    return {
      role: "assistant",
      text: toText(message.content, contentPath),
      calls: (message.tool_calls ?? []).map((call, index) => toCall(call, `${path}.tool_calls[${index}]`)),
    };
  if (message.role === "tool") return toToolMessage(message, path);
  return { role: "user", parts: someParts(message.content, contentPath) };
}

function toToolMessage({ tool_call_id, content }: ChatMessage, path: string): TranscriptMessage {
  if (typeof tool_call_id !== "string") throw invalidRequest(`${path}.tool_call_id: must name the call it answers`);
  return { role: "tool", callId: tool_call_id, parts: toParts(content, `${path}.content`), isError: false };
}

function someParts(content: Content, path: string): ReturnType<typeof toParts> {
  if (content === undefined || content === null) throw invalidRequest(`${path}: a user message must have content`);
  return toParts(content, path);
}

function toCall(call: z.infer<typeof callSchema>, path: string): TranscriptCall {
  if (call.function !== undefined)
    return { callId: call.id, name: call.function.name, input: parseArguments(call.function.arguments) };
  if (call.custom !== undefined) return { callId: call.id, name: call.custom.name, input: call.custom.input };
  throw invalidRequest(`${path}: must hold a function with its name and arguments`);
}

const toolSchema = z.looseObject(
  {
    type: z.string("must be a string").default("function"),
    function: functionSchema.optional(),
    custom: customToolSchema.optional(),
  },
  "must be an object",
);

const chatToolsSchema = z.array(toolSchema, "must be a list").nullish();

function toChatTools(tools: z.infer<typeof chatToolsSchema>): RequestTools {
  return toRequestTools((tools ?? []).map((tool, index) => toTool(tool, `tools[${index}]`) ?? tool.type));
}

/** Undefined if no client runs tools of that type. */
function toTool(tool: z.infer<typeof toolSchema>, path: string): SentTool | undefined {
  if (tool.type === "function") return toFunctionTool(required(tool.function, `${path}.function`));
  if (tool.type === "custom") return toCustomTool(required(tool.custom, `${path}.custom`));
  return undefined;
}

function required<Value>(value: Value | undefined, path: string): Value {
  if (value === undefined) throw invalidRequest(`${path}: is missing`);
  return value;
}

export const text = z.string("must be a string").nullish();
export const flag = z.boolean("must be true or false").nullish();
export const tokenLimit = z.int("must be a whole number").positive("must be more than 0").nullish();

const stopSequence = z.string("must be a string").min(1, "must not be empty");
const stopSchema = z.union([stopSequence, z.array(stopSequence)], "must be a string or a list of strings").nullish();

/** The fields we read of a body. Others, such as most sampling parameters, have no meaning for the agent. */
export const chatSchema = z.looseObject({
  model: text,
  cursorModel: text,
  messages: z.array(messageSchema, "must be a list of messages").min(1, "must hold at least one message"),
  tools: chatToolsSchema,
  tool_choice: toolChoiceSchema,
  stream: flag,
  stream_options: z.looseObject({ include_usage: flag }, "must be an object").nullish(),
  max_tokens: tokenLimit,
  max_completion_tokens: tokenLimit,
  parallel_tool_calls: flag,
  stop: stopSchema,
  reasoning_effort: text,
  reasoning: z.looseObject({ effort: text }, "must be an object").nullish(),
  n: z.int("must be a whole number").positive("must be more than 0").nullish(),
  logprobs: flag,
  top_logprobs: z.int("must be a whole number").nonnegative("must not be negative").nullish(),
  modalities: z.array(z.string(), "must be a list").nullish(),
});

type ChatBody = z.infer<typeof chatSchema>;

export interface ChatRequest {
  readonly request: DoorRequest;
  readonly stream: boolean;
  readonly includeUsage: boolean;
}

export function readChatRequest(body: unknown, headers: IncomingHttpHeaders): ChatRequest {
  const chat = readBody(chatSchema, body);
  refuseWhatCannotBe(chat);
  const { system, messages } = toTranscript(chat.messages);
  if (!messages.some(({ role }) => role === "user" || role === "tool"))
    throw invalidRequest("messages: at least one must be from the user");
  const { tools, unavailableTools } = toChatTools(chat.tools);
  const format = answerFormatOf(chat["response_format"], "response_format");
  const effort = chat.reasoning_effort ?? chat.reasoning?.effort ?? undefined;
  return {
    stream: chat.stream ?? false,
    includeUsage: chat.stream_options?.include_usage ?? false,
    request: {
      door: "openai",
      isWhole: chat.stream !== true,
      requestedModel: toRequestedModel(chat, effort),
      system: [...system, formatInstruction(format)].filter((part) => part !== "").join("\n\n"),
      messages,
      tools,
      unavailableTools,
      ...toToolChoice(chat.tool_choice, tools),
      parallelCalls: chat.parallel_tool_calls ?? true,
      stopSequences: toStopSequences(chat.stop),
      format,
      maxOutputTokens: chat.max_completion_tokens ?? chat.max_tokens ?? undefined,
      ignored: ignoredFields(chat),
      sampling: samplingOf(chat),
      sessionKey: sessionKeyOf(headers),
      ...doorHeaders(headers),
    },
  };
}

/** Rejects what the agent cannot give: answering without it would be a lie. */
function refuseWhatCannotBe(chat: ChatBody): void {
  if ((chat.n ?? 1) > 1) throw invalidRequest("n: only one answer can be given at a time");
  if (chat.logprobs === true || (chat.top_logprobs ?? 0) > 0)
    throw invalidRequest("logprobs: Cursor's agent reports no probabilities");
  refuseModalities(chat);
  if ((chat["functions"] ?? null) !== null)
    throw invalidRequest("functions: this old form is not served; send the same functions as tools");
}

function toStopSequences(stop: ChatBody["stop"]): readonly string[] {
  return typeof stop === "string" ? [stop] : (stop ?? []);
}

/** For both OpenAI doors. Answers are text. */
export function refuseModalities(body: Readonly<Record<string, unknown>> & Pick<ChatBody, "modalities">): void {
  if (body.modalities?.some((modality) => modality !== "text") || (body["audio"] ?? null) !== null)
    throw invalidRequest("modalities: only text can be answered");
}

/** For both OpenAI doors. */
export function toRequestedModel(
  { model, cursorModel }: Pick<ChatBody, "model" | "cursorModel">,
  effort: string | undefined,
): RequestedModel {
  const thinking = effort === "none" ? false : undefined;
  return { model: model ?? undefined, cursorModel: cursorModel ?? undefined, effort, thinking };
}
