import { inCommandForm } from "@caret/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { retryHeaders } from "../door/retry-advice.ts";
import { toKnownError } from "../http/known-error.ts";
import { toNativeError } from "./errors.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** How a person starts Caret on this machine: `caret` or `npx caret`. */
    readonly command: string;
  }
}

/** Whatever a route of this door throws, in its one shape; never a stack trace. */
export function answerWithError(reason: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { error, status: given } = toKnownError(reason);
  if (error.code === "internal") request.log.error({ err: reason }, "A request failed unexpectedly");
  const info = error.toInfo();
  const { status, body } = toNativeError({ ...info, fix: inCommandForm(info.fix, request.server.command) });
  return reply
    .code(given ?? status)
    .headers(retryHeaders(info))
    .send(body);
}
