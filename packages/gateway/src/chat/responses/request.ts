import type { IncomingHttpHeaders } from "node:http";
import { CaretError, type TranscriptCall, type TranscriptMessage, type TranscriptPart } from "@caret/protocol";
import { z } from "zod";
import { invalidRequest, readBody, readPart } from "../../http/read-body.ts";
import { doorHeaders, sessionKeyOf } from "../door-headers.ts";
import type { DoorRequest } from "../door-request.ts";
import { ignoredFields } from "../ignored-fields.ts";
import { flag, refuseModalities, text, tokenLimit, toRequestedModel } from "../openai/request.ts";
import { contentSchema, toParts, toText } from "../openai-content.ts";
import { parseArguments, toolChoiceSchema, toolName, toToolChoice } from "../openai-tools.ts";
import { answerFormatOf, formatInstruction, samplingOf } from "../sampling-and-format.ts";
import type { CallItem, KeptResponse, OutputItem, Recollection, References } from "./item-store.ts";
import { type LocalCallNews, readLocalCall, toolsSchema, toResponseTools } from "./tools.ts";

/** Gathers items into messages: what the assistant said and called in one go is one message. */
class TranscriptBuilder {
  readonly system: string[] = [];
  readonly messages: TranscriptMessage[] = [];

  user(parts: readonly TranscriptPart[]): void {
    this.messages.push({ role: "user", parts });
  }

  tool(callId: string, parts: readonly TranscriptPart[], isError = false): void {
    this.messages.push({ role: "tool", callId, parts, isError });
  }

  assistant(text: string, calls: readonly TranscriptCall[] = []): void {
    const last = this.messages.at(-1);
    if (last?.role !== "assistant") {
      this.messages.push({ role: "assistant", text, calls });
      return;
    }
    const joined = [last.text, text].filter((part) => part !== "").join("\n\n");
    this.messages[this.messages.length - 1] = { ...last, text: joined, calls: [...last.calls, ...calls] };
  }

  /** Something we answered ourselves; reasoning is no part of a transcript. */
  output(item: OutputItem): void {
    if (item.type === "reasoning") return;
    if (item.type === "message") this.assistant(item.content.map(({ text }) => text).join(""));
    else this.assistant("", [toDoorCall(item)]);
  }
}

function toDoorCall(item: CallItem): TranscriptCall {
  const callId = item.call_id;
  switch (item.type) {
    case "function_call":
      return { callId, name: item.name, input: parseArguments(item.arguments) };
    case "custom_tool_call":
      return { callId, name: item.name, input: item.input };
    case "apply_patch_call":
      return { callId, name: "apply_patch", input: item.operation };
    case "shell_call":
      return { callId, name: "shell", input: item.action };
    case "local_shell_call":
      return { callId, name: "local_shell", input: item.action };
  }
}

const FORGOTTEN = "[An earlier answer that is not kept any more]";
const filled = z.string("must be a string").min(1, "must not be empty");
const roles = ["user", "assistant", "system", "developer"] as const;

const inputSchema = z.union(
  [
    z.string(),
    z
      .array(z.looseObject({ type: z.string().nullish(), role: z.string().nullish() }))
      .min(1, "must hold at least one item"),
  ],
  "must be a string or a list of items",
);

const messageSchema = z.object({
  role: z.enum(roles, `must be one of ${roles.join(", ")}`),
  content: contentSchema,
});
const functionCallSchema = z.object({ call_id: filled, name: toolName, arguments: z.string("must be a string") });
const customCallSchema = z.object({ call_id: filled, name: toolName, input: z.string("must be a string") });
const callOutputSchema = z.object({ call_id: filled, output: contentSchema });
const referenceSchema = z.object({ id: filled });

type Item = Exclude<z.infer<typeof inputSchema>, string>[number];

/** Items in order, references looked up among what we answered before. */
function readInput(
  input: z.infer<typeof inputSchema>,
  findItem: (id: string) => OutputItem | undefined,
): TranscriptBuilder {
  const transcript = new TranscriptBuilder();
  if (typeof input === "string") transcript.user([{ kind: "text", text: input }]);
  else for (const [index, item] of input.entries()) readItem(transcript, item, `input[${index}]`, findItem);
  return transcript;
}

function readItem(
  transcript: TranscriptBuilder,
  item: Item,
  path: string,
  findItem: (id: string) => OutputItem | undefined,
): void {
  const type = typeOf(item, path);
  switch (type) {
    case "message":
      return readMessage(transcript, item, path);
    case "function_call": {
      const call = readPart(functionCallSchema, item, path);
      return transcript.assistant("", [
        { callId: call.call_id, name: call.name, input: parseArguments(call.arguments) },
      ]);
    }
    case "custom_tool_call": {
      const { call_id, name, input } = readPart(customCallSchema, item, path);
      return transcript.assistant("", [{ callId: call_id, name, input }]);
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const { call_id, output } = readPart(callOutputSchema, item, path);
      return transcript.tool(call_id, toParts(output, `${path}.output`));
    }
    case "item_reference":
      return readReference(transcript, readPart(referenceSchema, item, path).id, findItem);
    default:
      // Reasoning, and the bookkeeping of tools that only the client knows, say nothing to the agent.
      return addLocalCall(transcript, readLocalCall(type, item, path));
  }
}

function addLocalCall(transcript: TranscriptBuilder, news: LocalCallNews | undefined): void {
  if (news === undefined) return;
  if ("call" in news) transcript.assistant("", [news.call]);
  else transcript.tool(news.callId, news.parts, news.isError);
}

/** Clients leave the type out of plain messages and of references. */
function typeOf({ type, role, ...rest }: Item, path: string): string {
  if (typeof type === "string") return type;
  if (typeof role === "string") return "message";
  if ("id" in rest) return "item_reference";
  throw invalidRequest(`${path}: must have a type or a role`);
}

function readMessage(transcript: TranscriptBuilder, item: Item, path: string): void {
  const { role, content } = readPart(messageSchema, item, path);
  const contentPath = `${path}.content`;
  if (content === undefined || content === null) throw invalidRequest(`${contentPath}: is missing`);
  if (role === "user") transcript.user(toParts(content, contentPath));
  else if (role === "assistant") transcript.assistant(toText(content, contentPath));
  else transcript.system.push(toText(content, contentPath, "\n"));
}

/**
 * An unknown reference does not fail the request: it is to an answer of ours, the session behind the door still knows it,
 * and a client that refers to it once does so for ever.
 */
function readReference(
  transcript: TranscriptBuilder,
  id: string,
  findItem: (id: string) => OutputItem | undefined,
): void {
  const item = findItem(id);
  if (item !== undefined) transcript.output(item);
  else if (id.startsWith("msg_")) transcript.assistant(FORGOTTEN);
}

/** What is read of a body; anything else is ignored. */
export const responsesSchema = z.looseObject({
  model: text,
  cursorModel: text,
  input: inputSchema,
  instructions: text,
  tools: toolsSchema,
  tool_choice: toolChoiceSchema,
  stream: flag,
  store: flag,
  background: flag,
  parallel_tool_calls: flag,
  max_output_tokens: tokenLimit,
  previous_response_id: text,
  reasoning: z.looseObject({ effort: text, summary: text }, "must be an object").nullish(),
  text: z.looseObject({}, "must be an object").nullish(),
  metadata: z.looseObject({}, "must be an object").nullish(),
  include: z.array(z.string("must be a string"), "must be a list").nullish(),
  top_logprobs: z.int("must be a whole number").nonnegative("must not be negative").nullish(),
  modalities: z.array(z.string(), "must be a list").nullish(),
});

export type ResponsesBody = z.infer<typeof responsesSchema>;

export interface ResponsesRequest {
  readonly request: DoorRequest;
  readonly body: ResponsesBody;
  /** What this request added to the transcript, to be kept with its answer. */
  readonly added: Pick<KeptResponse, "system" | "messages">;
}

/** What a body refers to instead of sending it, before anything of it is checked. */
export function referencesIn(value: unknown): References {
  const { previous_response_id: previous, input } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const items: readonly unknown[] = Array.isArray(input) ? input : [];
  const itemIds = items.flatMap((item) => {
    const { type, role, id } = (item ?? {}) as Readonly<Record<string, unknown>>;
    const isReference = type === "item_reference" || (typeof type !== "string" && typeof role !== "string");
    return isReference && typeof id === "string" ? [id] : [];
  });
  return { responseId: typeof previous === "string" ? previous : undefined, itemIds };
}

export function readResponsesRequest(
  value: unknown,
  headers: IncomingHttpHeaders,
  { owner, items }: Recollection,
): ResponsesRequest {
  const body = readBody(responsesSchema, value);
  refuseWhatCannotBe(body);
  const past = earlier(items, owner, body.previous_response_id ?? undefined);
  const before = toTranscript(past);
  let isSelfContained = past.length === 0;
  const added = readInput(body.input, (id) => {
    isSelfContained = false;
    return items.findItem(owner, id);
  });
  const messages: readonly TranscriptMessage[] = [...before.messages, ...added.messages];
  if (!messages.some(({ role }) => role === "user" || role === "tool"))
    throw invalidRequest("input: at least one item must be from the user");
  const { tools, unavailableTools } = toResponseTools(body.tools);
  const format = answerFormatOf(body.text?.["format"], "text.format");
  const effort = body.reasoning?.effort ?? undefined;
  const system = [body.instructions ?? "", ...before.system, ...added.system, formatInstruction(format)];
  return {
    body,
    added: { system: added.system, messages: added.messages },
    request: {
      door: "responses",
      isWhole: body.stream !== true,
      requestedModel: toRequestedModel(body, effort),
      system: system.filter((part) => part !== "").join("\n\n"),
      messages,
      tools,
      unavailableTools,
      ...toToolChoice(body.tool_choice, tools),
      parallelCalls: body.parallel_tool_calls ?? true,
      // The format has none.
      stopSequences: [],
      format,
      maxOutputTokens: body.max_output_tokens ?? undefined,
      ignored: ignoredFields({ ...body, verbosity: body.text?.["verbosity"] }),
      sampling: samplingOf(body),
      sessionKey: sessionKeyOf(headers),
      conversation: past.at(-1)?.conversation,
      ...(isSelfContained ? {} : { sent: { ...body, stream: undefined } }),
      ...doorHeaders(headers),
    },
  };
}

function refuseWhatCannotBe(body: ResponsesBody): void {
  if (body.background === true) throw invalidRequest("background: a response cannot be left to run and fetched later");
  if ((body["conversation"] ?? null) !== null)
    throw invalidRequest("conversation: stored conversations are not kept; send the input or previous_response_id");
  if ((body["prompt"] ?? null) !== null) throw invalidRequest("prompt: stored prompts are not kept; send the input");
  if ((body.top_logprobs ?? 0) > 0 || body.include?.includes("message.output_text.logprobs"))
    throw invalidRequest("top_logprobs: Cursor's agent reports no probabilities");
  refuseModalities(body);
}

/** Unlike a reference, a lost response would lose what the user said, so this fails. */
function earlier(items: Recollection["items"], owner: string, id: string | undefined): readonly KeptResponse[] {
  if (id === undefined) return [];
  const chain = items.findChain(owner, id);
  if (chain !== undefined) return chain;
  throw new CaretError("not-found", `There is no response "${id.slice(0, 100)}" any more`, {
    fix: "Send the whole input without previous_response_id.",
  });
}

function toTranscript(chain: readonly KeptResponse[]): TranscriptBuilder {
  const transcript = new TranscriptBuilder();
  for (const { system, messages, output } of chain) {
    transcript.system.push(...system);
    transcript.messages.push(...messages);
    for (const item of output) transcript.output(item);
  }
  return transcript;
}
