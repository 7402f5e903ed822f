import type { FastifyReply, FastifyRequest } from "fastify";
import { toKnownError } from "../http/known-error.ts";
import { toAnthropicError } from "./errors.ts";

const RETRY_AFTER_SECONDS = 5;

/** Whatever a route of this door throws, in the shape Anthropic's clients read; never a stack trace. */
export function answerWithError(reason: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { error, status: given } = toKnownError(reason);
  if (error.code === "internal") request.log.error({ err: reason }, "A request failed unexpectedly");
  const { status, body } = toAnthropicError(error.toInfo(), request.id);
  if (status === 429 && !reply.hasHeader("retry-after")) reply.header("retry-after", String(RETRY_AFTER_SECONDS));
  return (
    reply
      .code(given ?? status)
      .header("request-id", request.id)
      // Anthropic's own clients obey this, so an error that cannot pass is not tried again.
      .header("x-should-retry", String(error.retryable))
      .send(body)
  );
}
