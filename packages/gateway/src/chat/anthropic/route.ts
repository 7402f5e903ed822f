import type { TurnShare } from "@caret/protocol";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { errorHandler } from "../../http/error-handler.ts";
import { displayOf } from "../activity-text.ts";
import { countAnswer } from "../answer-usage.ts";
import { estimateRequestTokens } from "../estimate-tokens.ts";
import { type DoorOptions, serveAnswer } from "../serve-answer.ts";
import { toMessage } from "./answer.ts";
import { toAnthropicReply } from "./errors.ts";
import { messagesBodySchema, parseMessagesRequest } from "./request.ts";
import { MessageStream, PING } from "./stream.ts";

const messagesDoc = { summary: "Anthropic messages", body: messagesBodySchema, streams: true };
const countDoc = { summary: "Estimate the tokens of a request", body: messagesBodySchema };

/** `POST /v1/messages` and `POST /v1/messages/count_tokens`, with any query. */
export function anthropicDoor(options: DoorOptions): FastifyPluginAsync {
  return async (app) => {
    app.setErrorHandler(errorHandler(({ info, status, request }) => toAnthropicReply(info, request.id, status)));
    app.addHook("preHandler", refuseContinuedThread);
    app.post("/v1/messages", { config: { doc: messagesDoc } }, (request, reply) => answer(request, reply, options));
    app.post("/v1/messages/count_tokens", { config: { doc: countDoc } }, countTokens);
  };
}

function answer(request: FastifyRequest, reply: FastifyReply, options: DoorOptions): Promise<FastifyReply> {
  const { request: door, stream } = parseMessagesRequest(request.body, request.headers);
  const shape = (turn: TurnShare) => ({
    id: `msg_${options.newId()}`,
    model: turn.model,
    count: countAnswer(door, turn),
    showActivity: displayOf(door, options.showActivity),
  });
  reply.header("request-id", request.id);
  return serveAnswer({ request, reply, options }, door, {
    stream,
    // Every block of text is a separate content block.
    blockGap: "",
    keepAlive: PING,
    openStream: (turn) => new MessageStream(shape(turn)),
    toWhole(turn, events, cut) {
      const message = toMessage(events, shape(turn), cut);
      if (message.usage.caret_estimated) reply.header("x-caret-estimated", "true");
      return message;
    },
  });
}

function countTokens(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { request: door } = parseMessagesRequest(request.body, request.headers);
  return reply.header("x-caret-estimated", "true").send({ input_tokens: estimateRequestTokens(door) });
}

const continuedSchema = z.looseObject({
  thread: z.looseObject({ type: z.literal("continue"), previous_message_id: z.string() }),
});

/**
 * Anthropic's servers keep a thread's messages, so a client can send only what is new, without its tools. This gateway keeps no threads.
 * Its refusal has the code that makes the official client send everything, without asking anyone; that transcript is then recognised as
 * usual.
 */
async function refuseContinuedThread(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { success, data } = continuedSchema.safeParse(request.body);
  if (!success) return;
  const message = `The thread of ${JSON.stringify(data.thread.previous_message_id.slice(0, 100))} is not kept here: send all of its messages.`;
  const error = { type: "not_found_error", message, code: "not-found", details: { error_code: "thread_not_found" } };
  await reply
    .code(404)
    .headers({ "request-id": request.id, "x-should-retry": "false" })
    .send({ type: "error", error, request_id: request.id });
}
