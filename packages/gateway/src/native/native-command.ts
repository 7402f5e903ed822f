import { createHash } from "node:crypto";
import type { CommandRecord, SessionCaller } from "@caret/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { readIdempotencyKey } from "../chat/idempotency-key.ts";
import { requestContextOf } from "../http/request-context.ts";
import type { Answer, Idempotency } from "./idempotency.ts";

/** The names in the paths of this door. A route reads only those that its own path has, so none is ever absent. */
interface RouteParams {
  readonly id: string;
  readonly turnId: string;
  readonly requestId: string;
  readonly grantId: string;
  readonly seq: string;
}

/** One request at the native door, as its routes see it. */
export interface NativeCall {
  readonly request: FastifyRequest;
  readonly caller: SessionCaller;
  readonly params: RouteParams;
}

type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** A route that only tells. */
export function question(tell: (call: NativeCall) => Promise<unknown>): RouteHandler {
  return async (request, reply) => reply.send(await tell(callOf(request)));
}

/**
 * A route that does something: once for each `idempotency-key`. With `recall` also across restarts: what it does is
 * recorded in the log under `caller.command`, and `recall` makes the answer out of that record.
 */
export function command(
  idempotency: Idempotency,
  perform: (call: NativeCall) => Promise<Answer>,
  recall?: (done: CommandRecord, call: NativeCall) => Promise<Answer>,
): RouteHandler {
  return async (request, reply) => {
    const call = callOf(request);
    const [path] = request.url.split("?", 1);
    const { answer, isReplayed } = await idempotency.once({
      key: readIdempotencyKey(request.headers),
      place: `${call.caller.tokenName} ${request.method} ${path}`,
      digest: digestOf(request),
      perform: (command) => perform(command === undefined ? call : { ...call, caller: { ...call.caller, command } }),
      ...(recall === undefined ? {} : { recall: (done) => recall(done, call) }),
    });
    if (isReplayed) reply.header("idempotency-replayed", "true");
    return reply.code(answer.status).send(answer.body);
  };
}

export function callOf(request: FastifyRequest): NativeCall {
  const { tokenName, workspace } = requestContextOf(request).caller;
  return { request, caller: { tokenName, workspace }, params: request.params as RouteParams };
}

/** What is read as a stream would have to be read whole to be told from another, so there the length has to do. */
function digestOf({ body, headers }: FastifyRequest): string {
  const isStream = typeof body === "object" && body !== null && Symbol.asyncIterator in body;
  const told = isStream ? `length ${headers["content-length"]}` : JSON.stringify(body ?? null);
  return createHash("sha256").update(told).digest("base64url");
}
