import { CaretError, type TranscriptCall, type TranscriptMessage, type TranscriptPart } from "@caret/protocol";
import { z } from "zod";
import { toContentParts, toResultParts } from "./content-parts.ts";
import type { ContentBlock, MessageBody } from "./messages-body.ts";

const textSchema = z.object({ text: z.string() });
const callSchema = z.object({ id: z.string().min(1), name: z.string().min(1), input: z.unknown() });
const resultSchema = z.object({
  tool_use_id: z.string().min(1),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish(),
  is_error: z.boolean().nullish(),
});

/** The transcript in the doors' own words. System messages are left out: they are collected elsewhere. */
export function toDoorMessages(messages: readonly MessageBody[]): readonly TranscriptMessage[] {
  const transcript = messages.flatMap((message, index) => toMessages(message, `messages.${index}.content`));
  if (transcript.some(({ role }) => role !== "assistant")) return transcript;
  throw new CaretError("invalid-request", "messages: one at least has to be the user's.");
}

function toMessages({ role, content }: MessageBody, path: string): readonly TranscriptMessage[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (role === "assistant") return [toAssistant(blocks, path)];
  return role === "user" ? toUserMessages(blocks, path) : [];
}

/** Thinking, server tools and blocks of next month are echoes of an answer: only text and calls go back to an agent. */
function toAssistant(blocks: readonly ContentBlock[], path: string): TranscriptMessage {
  const texts: string[] = [];
  const calls: TranscriptCall[] = [];
  for (const [index, block] of blocks.entries()) {
    const at = `${path}.${index}`;
    if (block.type === "text") texts.push(read(textSchema, block, at).text);
    if (block.type === "tool_use") calls.push(toCall(block, at));
  }
  return { role: "assistant", text: texts.join(""), calls };
}

function toCall(block: ContentBlock, path: string): TranscriptCall {
  const { id, name, input } = read(callSchema, block, path);
  return { callId: id, name, input };
}

/** Results become messages of their own; what the user says around them stays in its place. */
function toUserMessages(blocks: readonly ContentBlock[], path: string): readonly TranscriptMessage[] {
  const messages: TranscriptMessage[] = [];
  let parts: TranscriptPart[] = [];
  for (const [index, block] of blocks.entries()) {
    const at = `${path}.${index}`;
    if (block.type !== "tool_result") {
      parts.push(...toContentParts(block, at));
      continue;
    }
    if (parts.length > 0) messages.push({ role: "user", parts });
    parts = [];
    messages.push(toResult(block, at));
  }
  if (parts.length > 0 || messages.length === 0) messages.push({ role: "user", parts });
  return messages;
}

function toResult(block: ContentBlock, path: string): TranscriptMessage {
  const { tool_use_id, content, is_error } = read(resultSchema, block, path);
  const inner = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  const parts = inner.flatMap((part, index) => toResultParts(part, `${path}.content.${index}`));
  return { role: "tool", callId: tool_use_id, parts, isError: is_error === true };
}

function read<Value>(schema: z.ZodType<Value>, block: ContentBlock, path: string): Value {
  const parsed = schema.safeParse(block);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = [path, ...(issue?.path ?? [])].join(".");
  throw new CaretError("invalid-request", `${where}: ${issue?.message ?? "is not valid"}.`, { cause: parsed.error });
}
