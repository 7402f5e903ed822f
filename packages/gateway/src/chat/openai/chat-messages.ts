import type { TranscriptCall, TranscriptMessage } from "@caret/protocol";
import { z } from "zod";
import { invalidRequest } from "../../http/read-body.ts";
import { parseArguments } from "../parse-arguments.ts";
import { type Content, contentSchema, toParts, toText } from "./content.ts";
import { toolName } from "./offered-tools.ts";

const roles = ["system", "developer", "user", "assistant", "tool"] as const;
const callId = z.string("must be a string").min(1, "must not be empty");

const callSchema = z.looseObject({
  id: callId,
  function: z.looseObject({ name: toolName, arguments: z.string("must be a string") }).optional(),
  custom: z.looseObject({ name: toolName, input: z.string("must be a string") }).optional(),
});

export const messageSchema = z.looseObject(
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

/** System and developer text may stand anywhere; it is gathered in order. */
export function toTranscript(chat: readonly ChatMessage[]): Transcript {
  const system: string[] = [];
  const messages: TranscriptMessage[] = [];
  for (const [index, message] of chat.entries()) {
    const path = `messages[${index}]`;
    if (message.role === "system" || message.role === "developer")
      system.push(toText(message.content, `${path}.content`, "\n"));
    else messages.push(toMessage(message, path));
  }
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
