import { CaretError, type EventEnvelope, type Sessions } from "@caret/protocol";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { readPart } from "../http/read-body.ts";
import { requestContextOf } from "../http/request-context.ts";
import { openSse, type SseWriter } from "../http/sse-writer.ts";
import { toNativeError } from "./answer-with-error.ts";
import { callOf } from "./native-command.ts";
import { followQuery } from "./queries.ts";

const config = { access: "sessions" } as const;

interface EventRoutesOptions {
  readonly desk: Sessions;
  readonly keepAliveMs: number;
  readonly closing: AbortSignal;
}

/** Events as they are committed, over SSE: of one session, and of the list of all. */
export function eventRoutes(app: FastifyInstance, { desk, ...stream }: EventRoutesOptions): void {
  app.get("/api/sessions/stream", { config }, async (request, reply) => {
    const { caller } = callOf(request);
    const follow = (signal: AbortSignal) => toText(desk.followUpdates(signal, caller), toData);
    await followOverSse({ ...stream, request, reply, follow });
  });
  app.get("/api/sessions/:id/events", { config }, async (request, reply) => {
    const { caller, params } = callOf(request);
    const { "last-event-id": last } = request.headers;
    const query = { ...(request.query as object), ...(last === undefined ? {} : { "last-event-id": last }) };
    const { after: asked, "last-event-id": seen = asked, raw = false } = readPart(followQuery, query, "");
    assertReached(seen, await desk.get(params.id, caller));
    const follow = (signal: AbortSignal) =>
      toText(desk.followLog(params.id, { after: seen, raw, signal }, caller), toEvent);
    await followOverSse({ ...stream, request, reply, follow });
  });
}

/** Whoever has seen more than there is has seen another log: waiting for it to come that far would skip events. */
export function assertReached(after: number, { lastSeq }: { readonly lastSeq: number }): void {
  if (after <= lastSeq) return;
  throw new CaretError("invalid-request", `after: the log of this session ends at ${lastSeq}`, {
    fix: "Forget what you have of this session and read it from its beginning.",
  });
}

async function* toText<Item>(
  batches: AsyncIterable<readonly Item[]>,
  write: (item: Item) => string,
): AsyncGenerator<string> {
  for await (const batch of batches) yield batch.map(write).join("");
}

function toData(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function toEvent(envelope: EventEnvelope): string {
  return `id: ${envelope.seq}\n${toData(envelope)}`;
}

interface FollowOptions {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Gives the batches, each as whole SSE events, until the signal. */
  readonly follow: (signal: AbortSignal) => AsyncIterable<string>;
  /** Fires when the server closes: a follower can come back, so it is not waited for. */
  readonly closing: AbortSignal;
  readonly keepAliveMs: number;
}

/**
 * Write batches as they come, one at a time: the next is asked for when the reader has taken the last, and a reader that
 * takes nothing is cut. It goes on from where it was by the id of the last event it saw.
 */
async function followOverSse({ request, reply, follow, closing, keepAliveMs }: FollowOptions): Promise<void> {
  const { signal, meter } = requestContextOf(request);
  const stop = new AbortController();
  const batches = follow(stop.signal)[Symbol.asyncIterator]();
  // Asked for before the head is sent: who reads the head may rely on hearing of everything from then on.
  const first = batches.next();
  // It is waited for below; if it fails before that, nobody is missing it yet.
  first.catch(() => undefined);
  const writer = openSse(reply, { signal: AbortSignal.any([signal, closing]), keepAliveMs, meter });
  if (writer.signal.aborted) stop.abort();
  else writer.signal.addEventListener("abort", () => stop.abort(), { once: true });
  try {
    await pump(batches, first, writer);
  } catch (reason) {
    if (!stop.signal.aborted) await writer.write(errorEvent(request, reason));
  } finally {
    stop.abort();
    writer.end();
  }
}

async function pump(
  batches: AsyncIterator<string>,
  first: Promise<IteratorResult<string>>,
  writer: SseWriter,
): Promise<void> {
  for (let step = await first; step.done !== true; step = await batches.next()) {
    await writer.write(step.value);
    if (writer.signal.aborted) return void (await batches.return?.());
  }
}

/** The head is out, so that only the stream itself can tell. */
function errorEvent(request: FastifyRequest, reason: unknown): string {
  const error = CaretError.from(reason);
  if (error.code === "internal") request.log.error({ err: reason }, "A stream failed unexpectedly");
  return `event: error\ndata: ${JSON.stringify(toNativeError(error.toInfo()).body)}\n\n`;
}
