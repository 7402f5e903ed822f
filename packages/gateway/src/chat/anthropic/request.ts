import type { IncomingHttpHeaders } from "node:http";
import {
  type AnswerFormat,
  CaretError,
  type RequestedModel,
  type TranscriptCall,
  type TranscriptMessage,
  type TranscriptPart,
} from "@caret/protocol";
import { z } from "zod";
import {
  documentParts,
  documentText,
  imageByAddress,
  malformed,
  searchResultText,
  textOfFile,
  unpassable,
} from "../document-parts.ts";
import { doorHeaders, sessionKeyOf } from "../door-headers.ts";
import type { DoorRequest } from "../door-request.ts";
import { ignoredFields } from "../ignored-fields.ts";
import { answerFormatOf, formatInstruction, samplingOf } from "../sampling-and-format.ts";
import { toMessageTools, toToolChoice } from "./tools.ts";

/** Content in any role: a string, or blocks of which only the type is checked here. */
const contentSchema = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))], {
  error: "must be a string or a list of blocks with a type",
});

const messageSchema = z.object({
  role: z.enum(["user", "assistant", "system", "developer"], { error: "must be user, assistant or system" }),
  content: contentSchema,
});

/**
 * Validates only what is read, and only as strictly as needed to read it: clients send betas and fields of next month. Limits that apply
 * only to Anthropic's models (such as `budget_tokens` below `max_tokens`) are not checked.
 */
export const messagesBodySchema = z.looseObject({
  model: z.string().optional(),
  cursorModel: z.string().optional(),
  messages: z.array(messageSchema).min(1, { error: "must not be empty" }),
  system: contentSchema.nullish(),
  max_tokens: z.number().int().positive().optional(),
  stop_sequences: z.array(z.string().min(1, { error: "must not be empty" })).nullish(),
  stream: z.boolean().nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.string().nullish(),
        name: z.string().min(1).max(256).optional(),
        description: z.string().nullish(),
        input_schema: z.unknown().optional(),
      }),
    )
    .nullish(),
  tool_choice: z
    .object({
      type: z.enum(["auto", "any", "tool", "none"]),
      name: z.string().optional(),
      disable_parallel_tool_use: z.boolean().nullish(),
    })
    .nullish(),
  mcp_servers: z.array(z.looseObject({ name: z.string().nullish() })).nullish(),
  thinking: z.object({ type: z.string() }).nullish(),
  output_config: z.object({ effort: z.string().nullish(), format: z.unknown().optional() }).nullish(),
  output_format: z.unknown().optional(),
  metadata: z.object({ user_id: z.unknown() }).partial().nullish(),
});

export type MessagesBody = z.infer<typeof messagesBodySchema>;
export type MessageBody = MessagesBody["messages"][number];
export type ContentBlock = Exclude<MessageBody["content"], string>[number];

/** Claude Code's first system block is for Anthropic's accounts and changes with every version; it is not an instruction. */
const BILLING_BLOCK = "x-anthropic-billing-header";

/** The texts of a system prompt, without those not meant for a model. */
function systemTexts(content: MessageBody["content"]): readonly string[] {
  const texts = typeof content === "string" ? [content] : content.map(({ text }) => text);
  return texts.filter((text) => typeof text === "string").filter((text) => text !== "" && !isBilling(text));
}

function isBilling(text: string): boolean {
  return text.trimStart().toLowerCase().startsWith(BILLING_BLOCK);
}

type Parts = readonly TranscriptPart[];
type Fields = Readonly<Record<string, unknown>>;

/** Looks for one wrong character; a pattern for the whole string would exhaust the stack on an image of megabytes. */
const base64 = z
  .string()
  .min(1)
  .refine((data) => !/[^\w+/=-]/.test(data));
const imageSource = z.union([
  z.object({ type: z.literal("base64"), media_type: z.string().startsWith("image/"), data: base64 }),
  z.object({ type: z.literal("url"), url: z.url({ protocol: /^https?$/ }) }),
]);
const documentSource = z.union([
  z.object({ type: z.literal("text"), data: z.string() }),
  z.object({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
  z.object({
    type: z.literal("content"),
    content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
  }),
]);

/** The user's content. Does not fail for what cannot be passed on: that becomes an `UnpassablePart`. */
export function toContentParts(block: ContentBlock, path: string): Parts {
  switch (block.type) {
    case "text":
      if (typeof block["text"] === "string") return [{ kind: "text", text: block["text"] }];
      throw new CaretError("invalid-request", `${path}.text: must be a string.`);
    case "image":
      return [toImage(block, path)];
    case "document":
      return toDocument(block, path);
    case "search_result":
      return [toSearchResult(block)];
    default:
      return [unpassable(block, `a block of type ${JSON.stringify(block.type.slice(0, 64))}`, path)];
  }
}

/** A tool's result. Structures that only a model reads are passed on as JSON; a tool reference says that the tool is available now. */
export function toResultParts(block: ContentBlock, path: string): Parts {
  if (block.type === "tool_reference")
    return [{ kind: "text", text: `The tool \`${String(block["tool_name"])}\` can be called now.` }];
  const isKnown = ["text", "image", "document", "search_result"].includes(block.type);
  return isKnown ? toContentParts(block, path) : [{ kind: "text", text: JSON.stringify(block) }];
}

function toImage(block: ContentBlock, path: string): TranscriptPart {
  const { data: source } = imageSource.safeParse(block["source"]);
  if (source?.type === "base64") return { kind: "image", mediaType: source.media_type, data: source.data };
  if (source?.type === "url") return imageByAddress(source.url, path);
  if (fieldsOf(block["source"])["type"] === "file")
    return unpassable(block, "an image in a file that is stored elsewhere", path, "Send the image itself, in base64.");
  const message = `${path}.source: must be a base64 image with its media type, or the address of one`;
  return malformed(block, "an image that is broken", message);
}

function toDocument(block: ContentBlock, path: string): Parts {
  const title = typeof block["title"] === "string" ? block["title"] : undefined;
  const { data: source } = documentSource.safeParse(block["source"]);
  if (source?.type === "text") return [documentText(source.data, title)];
  if (source?.type === "content") return toNestedDocument(source.content, title, path);
  const text = source && textOfFile({ mediaType: source.media_type, data: source.data });
  if (text !== undefined) return [documentText(text, title)];
  const kind = source?.media_type === "application/pdf" ? "a PDF document" : "a document";
  return [unpassable(block, title === undefined ? kind : `${kind} ${JSON.stringify(title.slice(0, 200))}`, path)];
}

function toNestedDocument(content: string | readonly ContentBlock[], title: string | undefined, path: string): Parts {
  if (typeof content === "string") return [documentText(content, title)];
  const parts = content.flatMap((nested, index) => toContentParts(nested, `${path}.source.content.${index}`));
  return documentParts(parts, title);
}

function toSearchResult({ title, source, content }: ContentBlock): TranscriptPart {
  const texts = Array.isArray(content) ? content.map((part) => fieldsOf(part)["text"]) : [content];
  return searchResultText(
    texts.filter((text) => typeof text === "string"),
    { ...(typeof title === "string" ? { title } : {}), ...(typeof source === "string" ? { source } : {}) },
  );
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

const textSchema = z.object({ text: z.string() });
const callSchema = z.object({ id: z.string().min(1), name: z.string().min(1), input: z.unknown() });
const resultSchema = z.object({
  tool_use_id: z.string().min(1),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish(),
  is_error: z.boolean().nullish(),
});

/** The transcript in the doors' terms. Omits system messages, which are collected elsewhere. */
function toDoorMessages(messages: readonly MessageBody[]): readonly TranscriptMessage[] {
  const transcript = messages.flatMap((message, index) => toMessages(message, `messages.${index}.content`));
  if (transcript.some(({ role }) => role !== "assistant")) return transcript;
  throw new CaretError("invalid-request", "messages: one at least has to be the user's.");
}

/** A trailing instruction with nothing else to answer is the question. */
function withQuestion(messages: readonly MessageBody[]): MessageBody[] {
  const last = messages.at(-1);
  const isInstruction = last?.role === "system" || last?.role === "developer";
  const said = messages.findLast(({ role }) => role === "user" || role === "assistant");
  if (!isInstruction || said?.role === "user") return [...messages];
  return [...messages.slice(0, -1), { role: "user", content: last.content }];
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

/** Results become separate messages; the user's text around them stays in its place. */
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

export interface MessagesRequest {
  readonly request: DoorRequest;
  readonly stream: boolean;
}

/** Reads the body of `/v1/messages` or of its `count_tokens`. Throws `invalid-request`, naming the field. */
export function parseMessagesRequest(json: unknown, headers: IncomingHttpHeaders): MessagesRequest {
  const parsed = messagesBodySchema.safeParse(json);
  if (!parsed.success) throw new CaretError("invalid-request", firstIssue(parsed.error), { cause: parsed.error });
  const body = { ...parsed.data, messages: withQuestion(parsed.data.messages) };
  const { tools, unavailableTools } = toMessageTools(body.tools ?? [], body.mcp_servers ?? []);
  const format = formatOf(body);
  const request: DoorRequest = {
    door: "anthropic",
    isWhole: body.stream !== true,
    requestedModel: toRequestedModel(body),
    system: systemOf(body, format),
    messages: toDoorMessages(body.messages),
    tools,
    unavailableTools,
    format,
    toolChoice: toToolChoice(body.tool_choice ?? undefined, tools),
    callableTools: undefined,
    parallelCalls: body.tool_choice?.disable_parallel_tool_use !== true,
    maxOutputTokens: body.max_tokens,
    stopSequences: body.stop_sequences ?? [],
    ignored: ignoredFields(body),
    sampling: samplingOf(body),
    sessionKey: sessionKeyOf(headers, { userId: body.metadata?.user_id }),
    ...doorHeaders(headers),
  };
  return { request, stream: body.stream === true };
}

function toRequestedModel({ model, cursorModel, output_config, thinking }: MessagesBody): RequestedModel {
  const thinks = thinking?.type === undefined ? undefined : thinking.type !== "disabled";
  return { model, cursorModel, effort: output_config?.effort ?? undefined, thinking: thinks };
}

/** Betas had it in a separate field. */
function formatOf({ output_config, output_format }: MessagesBody): AnswerFormat | undefined {
  return (
    answerFormatOf(output_config?.format, "output_config.format") ?? answerFormatOf(output_format, "output_format")
  );
}

function systemOf({ system, messages }: MessagesBody, format: AnswerFormat | undefined): string {
  const texts = [...systemTexts(system ?? ""), ...messages.flatMap(systemOfMessage), formatInstruction(format)];
  return texts.filter((text) => text !== "").join("\n\n");
}

/** Claude Code puts reminders between the messages, under the role `system`. */
function systemOfMessage({ role, content }: MessageBody): readonly string[] {
  return role === "system" || role === "developer" ? systemTexts(content) : [];
}

function firstIssue({ issues }: z.ZodError): string {
  const [issue] = issues;
  const path = issue?.path.join(".") ?? "";
  return `${path === "" ? "The body" : path}: ${issue?.message ?? "is not valid"}.`;
}
