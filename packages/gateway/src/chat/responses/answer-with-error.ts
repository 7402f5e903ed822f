import type { FastifyReply, FastifyRequest } from "fastify";
import { toKnownError } from "../../http/known-error.ts";
import { answerWithError as answerOpenaiClient } from "../openai/error-handler.ts";
import { isCodex, toCodexReply } from "./codex-errors.ts";

/** As at the chat door, unless it is Codex that asks: it reads errors in a way of its own. */
export function answerWithError(reason: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!isCodex(request.headers)) return answerOpenaiClient(reason, request, reply);
  const { error } = toKnownError(reason);
  if (error.code === "internal") request.log.error({ err: reason }, "A request failed unexpectedly");
  const { status, headers, body } = toCodexReply(error.toInfo());
  return reply.code(status).headers(headers).send(body);
}
