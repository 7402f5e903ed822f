import type { ErrorInfo } from "@caret/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { toKnownError } from "./refusals.ts";

/** A whole HTTP answer to a request that failed. */
export interface ErrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object | string;
}

export interface Failure {
  readonly info: ErrorInfo;
  /** A status that says more than our code does, as for a wrong content type. */
  readonly status: number | undefined;
  readonly request: FastifyRequest;
}

type ErrorHandler = (reason: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Answers with whatever a route throws, in the shape that its clients read; never with a stack trace. */
export function errorHandler(toReply: (failure: Failure) => ErrorReply): ErrorHandler {
  return (reason, request, reply) => {
    const { error, status: given } = toKnownError(reason);
    if (error.code === "internal") request.log.error({ err: reason }, "A request failed unexpectedly");
    const { status, headers, body } = toReply({ info: error.toInfo(), status: given, request });
    return reply.code(status).headers(headers).send(body);
  };
}
