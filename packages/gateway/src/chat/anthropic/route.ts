import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { estimateRequestTokens } from "../estimate-tokens.ts";
import { answerWithError } from "./answer-with-error.ts";
import type { AnthropicDoorOptions } from "./door-options.ts";
import { refuseContinuedThread } from "./message-thread.ts";
import { parseMessagesRequest } from "./request.ts";
import { serveMessage } from "./serve-message.ts";

/** `POST /v1/messages` and `POST /v1/messages/count_tokens`, whatever their query says. */
export function anthropicDoor(options: AnthropicDoorOptions): FastifyPluginAsync {
  return async (app) => {
    app.setErrorHandler(answerWithError);
    app.addHook("preHandler", refuseContinuedThread);
    app.post("/v1/messages", (request, reply) => serveMessage({ request, reply, options }));
    app.post("/v1/messages/count_tokens", countTokens);
  };
}

function countTokens(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { request: door } = parseMessagesRequest(request.body, request.headers);
  return reply.header("x-caret-estimated", "true").send({ input_tokens: estimateRequestTokens(door) });
}
