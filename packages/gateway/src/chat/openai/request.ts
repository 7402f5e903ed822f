import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import { invalidRequest, readBody } from "../../http/read-body.ts";
import { doorHeaders } from "../door-headers.ts";
import type { DoorRequest } from "../door-request.ts";
import { ignoredFields } from "../ignored-fields.ts";
import { formatInstruction, samplingOf } from "../sampling.ts";
import { sessionKeyOf } from "../session-key.ts";
import { messageSchema, toTranscript } from "./chat-messages.ts";
import { chatToolsSchema, toChatTools } from "./chat-tools.ts";
import { toolChoiceSchema, toToolChoice } from "./tool-choice.ts";

export const text = z.string("must be a string").nullish();
export const flag = z.boolean("must be true or false").nullish();
export const tokenLimit = z.int("must be a whole number").positive("must be more than 0").nullish();

const stopSequence = z.string("must be a string").min(1, "must not be empty");
const stopSchema = z.union([stopSequence, z.array(stopSequence)], "must be a string or a list of strings").nullish();

/** What is read of a body. Sampling parameters and whatever else is not here have no meaning for the agent. */
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
  const effort = chat.reasoning_effort ?? chat.reasoning?.effort ?? undefined;
  return {
    stream: chat.stream ?? false,
    includeUsage: chat.stream_options?.include_usage ?? false,
    request: {
      door: "openai",
      isWhole: chat.stream !== true,
      requestedModel: {
        model: chat.model ?? undefined,
        cursorModel: chat.cursorModel ?? undefined,
        effort,
        thinking: effort === "none" ? false : undefined,
      },
      system: [...system, formatInstruction(chat["response_format"])].filter((part) => part !== "").join("\n\n"),
      messages,
      tools,
      unavailableTools,
      ...toToolChoice(chat.tool_choice, tools),
      parallelCalls: chat.parallel_tool_calls ?? true,
      stopSequences: toStopSequences(chat.stop),
      maxOutputTokens: chat.max_completion_tokens ?? chat.max_tokens ?? undefined,
      ignored: ignoredFields(chat),
      sampling: samplingOf(chat),
      sessionKey: sessionKeyOf(headers),
      ...doorHeaders(headers),
    },
  };
}

/** Answering without what was asked for would be a lie; these cannot be had from the agent. */
function refuseWhatCannotBe(chat: ChatBody): void {
  if ((chat.n ?? 1) > 1) throw invalidRequest("n: only one answer can be given at a time");
  if (chat.logprobs === true || (chat.top_logprobs ?? 0) > 0)
    throw invalidRequest("logprobs: Cursor's agent tells no probabilities");
  if (chat.modalities?.some((modality) => modality !== "text") || (chat["audio"] ?? null) !== null)
    throw invalidRequest("modalities: only text can be answered");
  if ((chat["functions"] ?? null) !== null)
    throw invalidRequest("functions: this old form is not served; send the same functions as tools");
}

function toStopSequences(stop: ChatBody["stop"]): readonly string[] {
  return typeof stop === "string" ? [stop] : (stop ?? []);
}
