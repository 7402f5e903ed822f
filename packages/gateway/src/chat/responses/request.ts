import type { IncomingHttpHeaders } from "node:http";
import { CaretError, type TranscriptMessage } from "@caret/protocol";
import { z } from "zod";
import { invalidRequest, readBody } from "../../http/read-body.ts";
import { doorHeaders } from "../door-headers.ts";
import type { DoorRequest } from "../door-request.ts";
import { ignoredFields } from "../ignored-fields.ts";
import { flag, text, tokenLimit } from "../openai/request.ts";
import { toolChoiceSchema, toToolChoice } from "../openai/tool-choice.ts";
import { formatInstruction, samplingOf } from "../sampling.ts";
import { sessionKeyOf } from "../session-key.ts";
import { inputSchema, readInput } from "./input-items.ts";
import type { ItemStore, KeptResponse } from "./item-store.ts";
import { toolsSchema, toResponseTools } from "./response-tools.ts";
import { TranscriptBuilder } from "./transcript-builder.ts";

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

/** Where references are looked up, as the caller may see it. */
export interface Recollection {
  readonly owner: string;
  readonly items: ItemStore;
}

export function readResponsesRequest(
  value: unknown,
  headers: IncomingHttpHeaders,
  { owner, items }: Recollection,
): ResponsesRequest {
  const body = readBody(responsesSchema, value);
  refuseWhatCannotBe(body);
  const before = toTranscript(earlier(items, owner, body.previous_response_id ?? undefined));
  const added = readInput(body.input, (id) => items.findItem(owner, id));
  const messages: readonly TranscriptMessage[] = [...before.messages, ...added.messages];
  if (!messages.some(({ role }) => role === "user" || role === "tool"))
    throw invalidRequest("input: at least one item must be from the user");
  const { tools, unavailableTools } = toResponseTools(body.tools);
  const effort = body.reasoning?.effort ?? undefined;
  const system = [body.instructions ?? "", ...before.system, ...added.system, formatInstruction(body.text?.["format"])];
  return {
    body,
    added,
    request: {
      door: "responses",
      isWhole: body.stream !== true,
      requestedModel: {
        model: body.model ?? undefined,
        cursorModel: body.cursorModel ?? undefined,
        effort,
        thinking: effort === "none" ? false : undefined,
      },
      system: system.filter((part) => part !== "").join("\n\n"),
      messages,
      tools,
      unavailableTools,
      ...toToolChoice(body.tool_choice, tools),
      parallelCalls: body.parallel_tool_calls ?? true,
      // The format has none.
      stopSequences: [],
      maxOutputTokens: body.max_output_tokens ?? undefined,
      ignored: ignoredFields({ ...body, verbosity: body.text?.["verbosity"] }),
      sampling: samplingOf(body),
      sessionKey: sessionKeyOf(headers),
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
    throw invalidRequest("top_logprobs: Cursor's agent tells no probabilities");
  if (body.modalities?.some((modality) => modality !== "text") || (body["audio"] ?? null) !== null)
    throw invalidRequest("modalities: only text can be answered");
}

/** Unlike a reference, a lost response would lose what the user said, so this fails. */
function earlier(items: ItemStore, owner: string, id: string | undefined): readonly KeptResponse[] {
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
