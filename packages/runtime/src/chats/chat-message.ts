import { z } from "zod";
import { typedWords } from "./typed-words.ts";

export interface ChatToolCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly input: unknown;
}

/** One message as a person would read it: no wrappers around what the user typed, no reasoning. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  /** Of a tool message: what the tool answered. */
  readonly text: string;
  readonly toolCalls: readonly ChatToolCall[];
}

const optionalText = z.string().optional().catch(undefined);

/** The store names a call's fields one way, transcripts another; both are read. */
const partSchema = z.object({
  type: z.string(),
  text: optionalText,
  toolCallId: optionalText,
  id: optionalText,
  toolName: optionalText,
  name: optionalText,
  args: z.unknown().optional(),
  input: z.unknown().optional(),
  result: z.unknown().optional(),
});

const messageSchema = z.object({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.union([z.string(), z.array(z.unknown())]),
});

type Part = z.infer<typeof partSchema>;

/** Undefined for anything that is not a message. Parts that we do not know are left out. */
export function toChatMessage(value: unknown): ChatMessage | undefined {
  const { data: message } = messageSchema.safeParse(value);
  if (message === undefined) return undefined;
  const { role, content } = message;
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content.flatMap(toPart);
  const texts = parts.map(textOf).filter((part) => part !== "");
  const whole = { text: texts.join("\n\n"), toolCalls: parts.flatMap(toToolCall) };
  if (role !== "user") return { role, ...whole };
  const typed = typedWords(texts);
  // What the CLI knows about the machine, or wants its model to remember, is sent as a user's message; nobody typed it.
  if (typed === "" && texts.length > 0) return { role: "system", ...whole };
  return { role, ...whole, text: typed };
}

function toPart(value: unknown): readonly Part[] {
  const { data: part } = partSchema.safeParse(value);
  return part === undefined ? [] : [part];
}

function textOf(part: Part): string {
  if (part.type === "text") return part.text ?? "";
  if (part.type !== "tool-result" || part.result === undefined) return "";
  return typeof part.result === "string" ? part.result : JSON.stringify(part.result);
}

function toToolCall(part: Part): readonly ChatToolCall[] {
  if (part.type !== "tool-call" && part.type !== "tool_use") return [];
  const { toolCallId, id, toolName, name } = part;
  return [{ id: toolCallId ?? id, name: toolName ?? name ?? "unknown", input: part.args ?? part.input }];
}
