import { createHash } from "node:crypto";
import { type Caller, type CommandRecord, keeperOf, lastingCaller } from "@caret/protocol";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { readIdempotencyKey } from "../http/idempotency-key.ts";
import { readBody, readPart } from "../http/read-body.ts";
import { requestContextOf } from "../http/request-context.ts";
import type { Idempotency } from "./idempotency.ts";

/** Where the routes of the native door are registered. */
export interface NativeApp {
  readonly app: FastifyInstance;
  readonly idempotency: Idempotency;
}

/** Path parameters of this door. A route reads only those in its own path, so none is ever absent. */
interface RouteParams {
  readonly id: string;
  readonly name: string;
  readonly turnId: string;
  readonly requestId: string;
  readonly grantId: string;
  readonly messageId: string;
  readonly seq: string;
}

/** One request at the native door, as its routes see it. */
export interface NativeCall {
  readonly request: FastifyRequest;
  readonly caller: Caller;
  /** The caller with its token's rights, which limit the tokens it makes. */
  readonly maker: Caller;
  readonly params: RouteParams;
}

interface NativeRoute {
  readonly summary: string;
  /** Scope of the tokens that may use the route. Default: `sessions`. */
  readonly access?: "sessions" | "admin";
}

interface ReadRoute<Query extends z.ZodType> extends NativeRoute {
  readonly query?: Query;
}

interface WriteRoute<Body extends z.ZodType, Query extends z.ZodType> extends NativeRoute {
  readonly body?: Body;
  readonly query?: Query;
  readonly status?: number;
  readonly bodyLimit?: number;
  /** Content type of the body. Default: JSON. */
  readonly mediaType?: string | undefined;
}

const idempotencyHeader = z.object({
  "idempotency-key": z.string().describe("A repeated key is answered with the first answer").exactOptional(),
});

/** Registers a GET route that changes nothing. */
export function read<Query extends z.ZodType = z.ZodUnknown>(
  { app }: Pick<NativeApp, "app">,
  url: string,
  { summary, access = "sessions", query }: ReadRoute<Query>,
  answer: (call: NativeCall & { readonly query: z.infer<Query> }) => Promise<unknown>,
): void {
  const schema = query ?? z.unknown();
  app.get(url, { config: { access, doc: { summary, query } } }, async (request, reply) => {
    const call = { ...callOf(request), query: readPart(schema, request.query, "") as z.infer<Query> };
    return reply.send(await answer(call));
  });
}

/**
 * Registers a route that changes something: once for each `idempotency-key`. With `recall`, also across restarts: what it does is recorded
 * in the log under `caller.command`, and `recall` makes the answer from that record.
 */
export function write<Body extends z.ZodType = z.ZodUnknown, Query extends z.ZodType = z.ZodUnknown>(
  { app, idempotency }: NativeApp,
  [method, url]: readonly ["POST" | "PATCH" | "DELETE", string],
  route: WriteRoute<Body, Query>,
  perform: (call: NativeCall & { readonly body: z.infer<Body>; readonly query: z.infer<Query> }) => Promise<unknown>,
  recall?: (done: CommandRecord, call: NativeCall) => Promise<unknown>,
): void {
  const { summary, access = "sessions", body: schema, query, status = 200, bodyLimit, mediaType } = route;
  const doc = { summary, headers: idempotencyHeader, body: schema, query, status };
  const config = { access, doc, mediaType };
  const read = ({ body, query: asked }: FastifyRequest) => ({
    body: (schema === undefined ? body : readBody(schema, body)) as z.infer<Body>,
    query: readPart(query ?? z.unknown(), asked, "") as z.infer<Query>,
  });
  const limit = bodyLimit === undefined ? {} : { bodyLimit };
  app.route({
    method,
    url,
    config,
    ...limit,
    handler: async (request, reply) => {
      const call = callOf(request);
      const { answer, isReplayed } = await idempotency.once({
        key: readIdempotencyKey(request.headers),
        scope: `${keeperOf(call.caller)} ${method} ${pathOf(request)}`,
        digest: digestOf(request),
        perform: async (command) => perform({ ...withCommand(call, command), ...read(request) }),
        recall: recall && ((done) => recall(done, call)),
      });
      if (isReplayed) reply.header("idempotency-replayed", "true");
      return reply.code(status).send(answer);
    },
  });
}

export function callOf(request: FastifyRequest): NativeCall {
  const { caller: whole } = requestContextOf(request);
  const caller = lastingCaller(whole);
  return { request, caller, maker: { ...caller, token: whole.token }, params: request.params as RouteParams };
}

function withCommand(call: NativeCall, command: Caller["command"]): NativeCall {
  return command === undefined ? call : { ...call, caller: { ...call.caller, command } };
}

function pathOf({ url }: FastifyRequest): string | undefined {
  return url.split("?", 1)[0];
}

/** Hashing a streamed body would mean buffering it, so its content-length is compared instead. */
function digestOf({ body, headers }: FastifyRequest): string {
  const isStream = typeof body === "object" && body !== null && Symbol.asyncIterator in body;
  const content = isStream ? `length ${headers["content-length"]}` : JSON.stringify(body ?? null);
  return createHash("sha256").update(content).digest("base64url");
}
