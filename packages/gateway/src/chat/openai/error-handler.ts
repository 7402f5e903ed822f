import type { FastifyReply, FastifyRequest } from "fastify";
import { toKnownError } from "../../http/known-error.ts";
import { toErrorReply } from "./errors.ts";

/** Whatever a route of these doors throws, in the shape OpenAI's clients read; never a stack trace. */
export function answerWithError(reason: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { error, status: given } = toKnownError(reason);
  if (error.code === "internal") request.log.error({ err: reason }, "A request failed unexpectedly");
  const { status, headers, body } = toErrorReply(error.toInfo());
  return reply
    .code(given ?? status)
    .headers(headers)
    .send(body);
}
