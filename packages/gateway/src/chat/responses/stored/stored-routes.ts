import { CaretError, keeperOf } from "@caret/protocol";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { clientGone } from "../../../http/client-gone.ts";
import { invalidRequest, readPart } from "../../../http/read-body.ts";
import { requestContextOf } from "../../../http/request-context.ts";
import { openSse } from "../../../http/sse-writer.ts";
import type { ResponseObject } from "../answer.ts";
import type { KeptResponse } from "../item-store.ts";
import { itemsBefore, pageOf } from "../items/input-items.ts";
import { sseFraming, sseOf } from "../making/event-framing.ts";
import type { ResponsesContext } from "../making/prepare-response.ts";
import { isMadeElsewhere, toObject } from "./background-response.ts";
import type { RunningResponse, RunningResponses } from "./running-responses.ts";

const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, "must be a whole number")
  .transform(Number);
const getQuery = z.object({
  stream: z.enum(["true", "false"], "must be true or false").optional(),
  starting_after: wholeNumber.optional(),
});
const listQuery = z.object({
  limit: wholeNumber.refine((limit) => limit >= 1 && limit <= 100, "must be from 1 to 100").optional(),
  order: z.enum(["asc", "desc"], "must be asc or desc").optional(),
  after: z.string("must be the id of an item").optional(),
  before: z.string("must be the id of an item").optional(),
});

const RESPONSE = "/v1/responses/:id";

/** Routes for responses after they were answered. Another user's response looks as if it never existed. */
export function storedRoutes(app: FastifyInstance, context: ResponsesContext, running: RunningResponses): void {
  app.get(
    RESPONSE,
    {
      config: { doc: { summary: "Get a stored response, or follow one that runs in the background", query: getQuery } },
    },
    async (request, reply) => get(request, reply, context, running),
  );
  app.get(
    `${RESPONSE}/input_items`,
    { config: { doc: { summary: "List what a stored response went on from", query: listQuery } } },
    async (request, reply) => reply.send(await listItems(request, context)),
  );
  app.register((bodiless, _options, done) => {
    takeAnyBody(bodiless);
    bodiless.delete(RESPONSE, { config: { doc: { summary: "Delete a stored response" } } }, async (request, reply) =>
      reply.send(await remove(request, context, running)),
    );
    bodiless.post(
      `${RESPONSE}/cancel`,
      { config: { takesNoBody: true, doc: { summary: "Cancel a response that runs in the background" } } },
      async (request, reply) => reply.send(await cancel(request, context, running)),
    );
    done();
  });
}

/** These requests have no meaningful body, yet some SDKs name a media type. */
function takeAnyBody(app: FastifyInstance): void {
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, _body, done) => done(null, undefined));
}

async function get(
  request: FastifyRequest,
  reply: FastifyReply,
  context: ResponsesContext,
  running: RunningResponses,
): Promise<FastifyReply> {
  const { stream, starting_after } = readPart(getQuery, request.query, "");
  const { owner, id } = asked(request);
  const live = running.find(owner, id);
  if (stream !== "true")
    return reply.send(live?.hasEnded === false ? live.response() : await readObject(owner, id, context));
  if (live !== undefined) return await streamEvents(request, reply, live, { context, after: starting_after ?? -1 });
  await readObject(owner, id, context);
  throw invalidRequest(
    "stream: the events of this response cannot be read here: they are there while it runs in the background and a while longer, at the gateway that makes it; get it without stream",
  );
}

/** Streams events as SSE, from the one after `after` to the last. A client that leaves can come back for the rest. */
export async function streamEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  live: RunningResponse,
  { context, after }: { readonly context: ResponsesContext; readonly after: number },
): Promise<FastifyReply> {
  const { signal, meter } = requestContextOf(request);
  const gone = clientGone(reply.raw);
  const sse = openSse(reply, { signal, keepAliveMs: context.keepAliveMs, meter });
  const left = AbortSignal.any([gone, sse.signal]);
  try {
    await live.follow(after, (event) => sse.write(sseOf(event)), left);
    await sse.write(sseFraming.end);
  } catch (reason) {
    // The client has left, or the gateway stops: the response goes on without this reader.
    if (!left.aborted) throw reason;
  } finally {
    sse.end();
  }
  return reply;
}

async function listItems(request: FastifyRequest, context: ResponsesContext) {
  const query = readPart(listQuery, request.query, "");
  const { owner, id } = asked(request);
  await read(owner, id, context);
  const { findChain } = await context.items.recall(owner, { responseId: id, itemIds: [] });
  const chain = findChain(owner, id);
  if (chain === undefined) throw unknown(id);
  return pageOf(itemsBefore(chain), query);
}

async function remove(request: FastifyRequest, context: ResponsesContext, running: RunningResponses) {
  const { owner, id } = asked(request);
  const live = running.find(owner, id);
  if (live === undefined) await read(owner, id, context);
  // In this order, since cancelling stores the response.
  await live?.cancel();
  running.forget(owner, id);
  await context.items.forget(owner, id);
  return { id, object: "response", deleted: true } as const;
}

async function cancel(
  request: FastifyRequest,
  context: ResponsesContext,
  running: RunningResponses,
): Promise<ResponseObject> {
  const { owner, id } = asked(request);
  const live = running.find(owner, id);
  if (live !== undefined) return await live.cancel();
  const kept = await read(owner, id, context);
  const response = await readObject(owner, id, context);
  if (response.background !== true)
    throw invalidRequest("Only a response that was made with `background: true` can be cancelled");
  if (!isMadeElsewhere(kept, context.now()) || kept.isCancelled === true) return response;
  await context.items.cancel(owner, id);
  return { ...response, status: "cancelled" };
}

function asked(request: FastifyRequest): { readonly owner: string; readonly id: string } {
  const { id } = request.params as { readonly id: string };
  return { owner: keeperOf(requestContextOf(request).caller), id };
}

async function read(owner: string, id: string, { items }: ResponsesContext): Promise<KeptResponse> {
  const kept = await items.find(owner, id);
  if (kept === undefined) throw unknown(id);
  return kept;
}

async function readObject(owner: string, id: string, context: ResponsesContext): Promise<ResponseObject> {
  const response = toObject(await read(owner, id, context), context.now());
  if (response === undefined) throw unknown(id);
  return response;
}

function unknown(id: string): CaretError {
  return new CaretError("not-found", `There is no response "${id.slice(0, 100)}" (any more)`, {
    fix: "Check its id: responses are kept for 30 days, unless they were asked for with `store: false` or deleted.",
  });
}
