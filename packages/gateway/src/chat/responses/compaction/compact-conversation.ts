import { type AgentEvent, CaretError, keeperOf } from "@caret/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { clientGone } from "../../../http/client-gone.ts";
import { invalidRequest, readBody } from "../../../http/read-body.ts";
import { requestContextOf } from "../../../http/request-context.ts";
import { AnswerReader } from "../../answer-reader.ts";
import type { DoorRequest } from "../../door-request.ts";
import { followAnswer } from "../../serve-answer.ts";
import type { ResponseObject } from "../answer.ts";
import { type InputItem, itemsBefore } from "../items/input-items.ts";
import { anyInputSchema } from "../items/read-input.ts";
import { type PreparedResponse, prepareResponse, type ResponsesContext } from "../making/prepare-response.ts";
import { readUnanswered } from "../request.ts";
import { toResponse } from "../stream.ts";

/** The fields read besides those of every request; the others do not concern a summary. */
export const compactSchema = z.looseObject({
  model: z.string("must be a string").min(1, "must not be empty"),
  input: anyInputSchema,
  instructions: z.string("must be a string").nullish(),
  previous_response_id: z.string("must be a string").nullish(),
});

const QUESTION = `Sum up this conversation so that another agent can go on with it and needs nothing else: what the user wants, what was decided, what was done and found (files, commands and results that matter, with their names), and what is still to do. Answer with the summary alone.`;

/**
 * `POST /v1/responses/compact`: an agent without tools sums up the conversation as a side call. The answer replaces the conversation from
 * then on: what the user and the client's program said in it, and the summary, sealed for its owner.
 */
export async function compactConversation(
  request: FastifyRequest,
  reply: FastifyReply,
  context: ResponsesContext,
): Promise<FastifyReply> {
  const { seal } = context;
  if (seal === undefined) throw new CaretError("unsupported", "Conversations cannot be compacted here");
  const { caller } = requestContextOf(request);
  const owner = keeperOf(caller);
  const { model, input, instructions, previous_response_id } = readBody(compactSchema, request.body);
  const value = { model, input, instructions, previous_response_id, store: false };
  const prepared = await prepareResponse({ value, headers: request.headers, owner }, context, readUnanswered);
  if (prepared.read.request.messages.length === 0) throw invalidRequest("input: there is nothing to compact");
  const response = await summarise(request, reply, prepared, context);
  const text = response.output.flatMap((item) =>
    item.type === "message" ? item.content.map((part) => part.text) : [],
  );
  const summary = text.join("\n\n").trim();
  if (summary === "") throw new CaretError("no-result", "The agent wrote no summary");
  const compaction = { id: `cmp_${context.newId()}`, type: "compaction", encrypted_content: seal.seal(owner, summary) };
  const said = itemsBefore([...prepared.read.past, prepared.toKept(response)]).filter(isSaidToTheAgent);
  const { created_at, usage } = response;
  return reply.send({
    id: prepared.id,
    object: "response.compaction",
    created_at,
    output: [...said, compaction],
    usage,
  });
}

function isSaidToTheAgent({ type, role }: InputItem): boolean {
  return type === "message" && role !== "assistant";
}

/** A whole answer that is not kept; usage and the rest are those of the summary. */
async function summarise(
  request: FastifyRequest,
  reply: FastifyReply,
  prepared: PreparedResponse,
  { conversations }: ResponsesContext,
): Promise<ResponseObject> {
  const { caller, signal: stopping } = requestContextOf(request);
  const signal = AbortSignal.any([clientGone(reply.raw), stopping]);
  const turn = await conversations.open(toQuestion(prepared.read.request), caller);
  const events: AgentEvent[] = [];
  const reader = new AnswerReader("words");
  let isAnswered = false;
  try {
    const limits = { maxOutputTokens: undefined, stopSequences: [], gap: "" };
    const ending = await followAnswer({ turn, limits, progress: reader, signal }, (batch) => {
      reader.read(batch);
      events.push(...batch);
    });
    if (ending.kind === "failed") throw CaretError.fromInfo(ending.error);
    isAnswered = !signal.aborted;
    return toResponse(events, { ...prepared.shape(turn), showActivity: "words" });
  } finally {
    turn.leave(isAnswered ? "answered" : "gone");
  }
}

/** Asks for a summary of the conversation as a side call, without its tools and workspace. */
function toQuestion(request: DoorRequest): DoorRequest {
  return {
    ...request,
    messages: [...request.messages, { role: "user", parts: [{ kind: "text", text: QUESTION }] }],
    isWhole: true,
    isSideCall: true,
    owner: undefined,
    workspace: undefined,
  };
}
