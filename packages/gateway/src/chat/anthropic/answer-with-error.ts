import type { FastifyReply, FastifyRequest } from "fastify";
import { toKnownError } from "../../http/known-error.ts";
import { toAnthropicReply } from "./errors.ts";

/** Whatever a route of this door throws, in the shape Anthropic's clients read; never a stack trace. */
export function answerWithError(reason: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { error, status: given } = toKnownError(reason);
  if (error.code === "internal") request.log.error({ err: reason }, "A request failed unexpectedly");
  const { status, headers, body } = toAnthropicReply(error.toInfo(), request.id);
  return reply
    .code(given ?? status)
    .headers(headers)
    .send(body);
}
