import { CaretError } from "@caret/protocol";
import { z } from "zod";
import type { DoorCall, DoorMessage, DoorPart } from "../door/door-request.ts";
import type { ContentBlock, MessageBody } from "./messages-body.ts";

const textSchema = z.object({ text: z.string() });
/** Looks for one wrong character; a pattern for the whole of it would exhaust the stack on an image of megabytes. */
const base64Schema = z
  .string()
  .min(1)
  .refine((data) => !/[^\w+/=-]/.test(data), { error: "must be base64" });
const imageSchema = z.object({
  source: z.union(
    [
      z.object({ type: z.literal("base64"), media_type: z.string().startsWith("image/"), data: base64Schema }),
      z.object({ type: z.literal("url"), url: z.url({ protocol: /^https?$/ }) }),
    ],
    { error: "must be a base64 image with its media type, or the address of one" },
  ),
});
const callSchema = z.object({ id: z.string().min(1), name: z.string().min(1), input: z.unknown() });
const resultSchema = z.object({
  tool_use_id: z.string().min(1),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish(),
  is_error: z.boolean().nullish(),
});

/** The transcript in the doors' own words. System messages are left out: they are collected elsewhere. */
export function toDoorMessages(messages: readonly MessageBody[]): readonly DoorMessage[] {
  const transcript = messages.flatMap((message, index) => toMessages(message, `messages.${index}.content`));
  if (transcript.some(({ role }) => role !== "assistant")) return transcript;
  throw new CaretError("invalid-request", "messages: one at least has to be the user's.");
}

function toMessages({ role, content }: MessageBody, path: string): readonly DoorMessage[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (role === "assistant") return [toAssistant(blocks, path)];
  return role === "user" ? toUserMessages(blocks, path) : [];
}

/** Thinking, server tools and blocks of next month are echoes of an answer: only text and calls go back to an agent. */
function toAssistant(blocks: readonly ContentBlock[], path: string): DoorMessage {
  const texts: string[] = [];
  const calls: DoorCall[] = [];
  for (const [index, block] of blocks.entries()) {
    const at = `${path}.${index}`;
    if (block.type === "text") texts.push(read(textSchema, block, at).text);
    if (block.type === "tool_use") calls.push(toCall(block, at));
  }
  return { role: "assistant", text: texts.join(""), calls };
}

function toCall(block: ContentBlock, path: string): DoorCall {
  const { id, name, input } = read(callSchema, block, path);
  return { callId: id, name, input };
}

/** Results become messages of their own; what the user says around them stays in its place. */
function toUserMessages(blocks: readonly ContentBlock[], path: string): readonly DoorMessage[] {
  const messages: DoorMessage[] = [];
  let parts: DoorPart[] = [];
  for (const [index, block] of blocks.entries()) {
    const at = `${path}.${index}`;
    if (block.type !== "tool_result") {
      parts.push(toPart(block, at));
      continue;
    }
    if (parts.length > 0) messages.push({ role: "user", parts });
    parts = [];
    messages.push(toResult(block, at));
  }
  if (parts.length > 0 || messages.length === 0) messages.push({ role: "user", parts });
  return messages;
}

function toResult(block: ContentBlock, path: string): DoorMessage {
  const { tool_use_id, content, is_error } = read(resultSchema, block, path);
  const inner = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  const parts = inner.map((part, index) => toResultPart(part, `${path}.content.${index}`));
  return { role: "tool", callId: tool_use_id, parts, isError: is_error === true };
}

/** A result may hold structures that only the model reads (tool references, search results): they go on as JSON. */
function toResultPart(block: ContentBlock, path: string): DoorPart {
  const known = block.type === "text" || block.type === "image" || block.type === "document";
  return known ? toPart(block, path) : { kind: "text", text: JSON.stringify(block) };
}

function toPart(block: ContentBlock, path: string): DoorPart {
  if (block.type === "text") return { kind: "text", text: read(textSchema, block, path).text };
  if (block.type === "image") return toImage(block, path);
  throw new CaretError(
    "invalid-request",
    `${path}: blocks of type ${quoted(block.type)} cannot be given to the agent.`,
    {
      fix: "Send the text of it instead, or put the file into the workspace.",
    },
  );
}

function toImage(block: ContentBlock, path: string): DoorPart {
  const { source } = read(imageSchema, block, path);
  if (source.type === "url") return { kind: "image-url", url: source.url };
  return { kind: "image", mediaType: source.media_type, data: source.data };
}

function read<Value>(schema: z.ZodType<Value>, block: ContentBlock, path: string): Value {
  const parsed = schema.safeParse(block);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = [path, ...(issue?.path ?? [])].join(".");
  throw new CaretError("invalid-request", `${where}: ${issue?.message ?? "is not valid"}.`, { cause: parsed.error });
}

function quoted(type: string): string {
  return JSON.stringify(type.slice(0, 64));
}
