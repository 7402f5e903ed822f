import type { FastifyReply, FastifyRequest } from "fastify";
import { toKnownError } from "../http/known-error.ts";
import { toNativeError } from "./errors.ts";

const RETRY_AFTER_SECONDS = "1";

/** Whatever a route of this door throws, in its one shape; never a stack trace. */
export function answerWithError(reason: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { error, status: given } = toKnownError(reason);
  if (error.code === "internal") request.log.error({ err: reason }, "A request failed unexpectedly");
  const { status, body } = toNativeError(error.toInfo());
  if (status === 429 && !reply.hasHeader("retry-after")) reply.header("retry-after", RETRY_AFTER_SECONDS);
  return reply.code(given ?? status).send(body);
}
