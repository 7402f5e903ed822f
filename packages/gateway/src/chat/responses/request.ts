import type { IncomingHttpHeaders } from "node:http";
import { CaretError, type TranscriptMessage } from "@caret/protocol";
import { z } from "zod";
import { invalidRequest, readBody } from "../../http/read-body.ts";
import { doorHeaders, sessionKeyOf } from "../door-headers.ts";
import type { DoorRequest } from "../door-request.ts";
import { ignoredFields } from "../ignored-fields.ts";
import { flag, refuseModalities, text, tokenLimit, toRequestedModel } from "../openai/request.ts";
import { toolChoiceSchema, toToolChoice } from "../openai-tools.ts";
import { answerFormatOf, formatInstruction, samplingOf } from "../sampling-and-format.ts";
import type { KeptResponse, Recollection, References } from "./item-store.ts";
import { anyInputSchema, inputSchema, readInput } from "./items/read-input.ts";
import { TranscriptBuilder } from "./items/transcript-builder.ts";
import { toolsSchema, toResponseTools } from "./tools.ts";

const number = z.number("must be a number").nullish();

/** The fields we read of a body; others are ignored. */
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
  temperature: number,
  top_p: number,
  presence_penalty: number,
  frequency_penalty: number,
  max_tool_calls: tokenLimit,
  truncation: z.enum(["auto", "disabled"], 'must be "auto" or "disabled"').nullish(),
  prompt_cache_key: text,
  safety_identifier: text,
  user: text,
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

/** A request that is not answered may bring nothing new. */
export const unansweredSchema = responsesSchema.extend({ input: anyInputSchema });

export type ResponsesBody = z.infer<typeof unansweredSchema>;

export interface ResponsesRequest {
  readonly request: DoorRequest;
  readonly body: ResponsesBody;
  /** The responses that it continues, oldest first. */
  readonly past: readonly KeptResponse[];
  /** What this request added to the transcript, to be kept with its answer. */
  readonly added: Pick<KeptResponse, "system" | "messages" | "hasGaps">;
}

/** What a body refers to instead of sending it, before anything of it is validated. */
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
  recollection: Recollection,
): ResponsesRequest {
  const read = readAny(value, headers, recollection, { isAnswered: true });
  if (!read.request.messages.some(({ role }) => role === "user" || role === "tool"))
    throw invalidRequest("input: at least one item must be from the user");
  return read;
}

/** The same for a request that only counts, or that only supplies what a later one goes on from. */
export function readUnanswered(
  value: unknown,
  headers: IncomingHttpHeaders,
  recollection: Recollection,
): ResponsesRequest {
  return readAny(value, headers, recollection, { isAnswered: false });
}

function readAny(
  value: unknown,
  headers: IncomingHttpHeaders,
  { owner, items, openCompaction = () => undefined }: Recollection,
  { isAnswered }: { readonly isAnswered: boolean },
): ResponsesRequest {
  // A request that goes on from a response may have no input of its own.
  const isWhole = isAnswered && referencesIn(value).responseId === undefined;
  const body = readBody(isWhole ? responsesSchema : unansweredSchema, value);
  refuseWhatCannotBe(body);
  const past = earlier(items, owner, body.previous_response_id ?? undefined);
  const before = toTranscript(past);
  let isSelfContained = past.length === 0;
  const added = readInput(body.input, {
    findItem(id) {
      isSelfContained = false;
      return items.findItem(owner, id);
    },
    openCompaction: (sealed) => openCompaction(owner, sealed),
  });
  if (isAnswered) added.askByInstruction();
  const messages: readonly TranscriptMessage[] = [...before.messages, ...added.messages];
  if (past.length > 0) assertCallsKnown(before, added);
  return {
    body,
    past,
    added: { system: added.system, messages: added.messages, ...(added.hasGaps && { hasGaps: true }) },
    request: {
      ...toRequest(body, headers, [...before.system, ...added.system]),
      messages,
      conversation: past.at(-1)?.conversation,
      ...(isSelfContained ? {} : { sent: { ...body, stream: undefined } }),
    },
  };
}

function toRequest(
  body: ResponsesBody,
  headers: IncomingHttpHeaders,
  rules: readonly string[],
): Omit<DoorRequest, "messages" | "conversation" | "sent"> {
  const { tools, unavailableTools } = toResponseTools(body.tools);
  const format = answerFormatOf(body.text?.["format"], "text.format");
  const effort = body.reasoning?.effort ?? undefined;
  const system = [body.instructions ?? "", ...rules, formatInstruction(format)];
  return {
    door: "responses",
    isWhole: body.stream !== true,
    requestedModel: toRequestedModel(body, effort),
    system: system.filter((part) => part !== "").join("\n\n"),
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
    ...doorHeaders(headers),
  };
}

function refuseWhatCannotBe(body: ResponsesBody): void {
  if (body.background === true && body.store === false)
    throw invalidRequest("background: a response that nobody waits for has to be stored; leave `store: false` out");
  if ((body["conversation"] ?? null) !== null)
    throw invalidRequest("conversation: stored conversations are not kept; send the input or previous_response_id");
  if ((body["prompt"] ?? null) !== null) throw invalidRequest("prompt: stored prompts are not kept; send the input");
  if ((body.top_logprobs ?? 0) > 0 || body.include?.includes("message.output_text.logprobs"))
    throw invalidRequest("top_logprobs: Cursor's agent reports no probabilities");
  refuseModalities(body);
}

/**
 * If the past is kept here, all its calls are known, and a result of any other call answers nothing. A client that sends its whole
 * transcript may have shortened it: its results go to the agent unchanged.
 */
function assertCallsKnown(before: TranscriptBuilder, added: TranscriptBuilder): void {
  if (before.hasGaps || added.hasGaps) return;
  const known = new Set(
    [...before.messages, ...added.messages].flatMap((message) =>
      message.role === "assistant" ? message.calls.map(({ callId }) => callId) : [],
    ),
  );
  const orphan = added.messages.find((message) => message.role === "tool" && !known.has(message.callId));
  if (orphan?.role === "tool")
    throw invalidRequest(
      `input: no tool call was made with the call_id ${JSON.stringify(orphan.callId.slice(0, 100))}`,
    );
}

/** Unlike a lost reference, a lost response would lose what the user said, so this fails. */
function earlier(items: Recollection["items"], owner: string, id: string | undefined): readonly KeptResponse[] {
  if (id === undefined) return [];
  const chain = items.findChain(owner, id);
  if (chain?.at(-1)?.aliveAt !== undefined)
    throw invalidRequest("previous_response_id: this response has not ended; go on from it when it has");
  if (chain !== undefined) return chain;
  throw new CaretError("previous-response-not-found", `There is no response "${id.slice(0, 100)}" any more`);
}

function toTranscript(chain: readonly KeptResponse[]): TranscriptBuilder {
  const transcript = new TranscriptBuilder();
  for (const { system, messages, output, hasGaps = false } of chain) {
    transcript.hasGaps ||= hasGaps;
    transcript.system.push(...system);
    transcript.messages.push(...messages);
    for (const item of output) transcript.output(item);
  }
  return transcript;
}
