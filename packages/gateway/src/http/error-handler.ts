import type { ErrorInfo } from "@caret/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { toKnownError } from "./refusals.ts";

/** A complete HTTP answer to a failed request. */
export interface ErrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object | string;
}

export interface Failure {
  readonly info: ErrorInfo;
  /** A more specific status than our code's, such as for a wrong content type. */
  readonly status: number | undefined;
  readonly request: FastifyRequest;
}

type ErrorHandler = (reason: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Answers whatever a route throws, in the shape its clients read; never with a stack trace. */
export function errorHandler(toReply: (failure: Failure) => ErrorReply): ErrorHandler {
  return (reason, request, reply) => {
    const { error, status: given } = toKnownError(reason);
    if (error.code === "internal") request.log.error({ err: reason }, "A request failed unexpectedly");
    const { status, headers, body } = toReply({ info: error.toInfo(), status: given, request });
    return reply.code(status).headers(headers).send(body);
  };
}
