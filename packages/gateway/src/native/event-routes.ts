import { CaretError, type EventEnvelope, type Sessions } from "@caret/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { readPart } from "../http/read-body.ts";
import { requestContextOf } from "../http/request-context.ts";
import { openSse, type SseWriter } from "../http/sse-writer.ts";
import { toNativeError } from "./errors.ts";
import { queryNumber, rawFlag } from "./fields.ts";
import { callOf, type NativeApp } from "./native-routes.ts";

const followQuery = z.object({
  after: queryNumber.default(0).describe("The last seq that the client has"),
  raw: rawFlag.default(false),
});
const lastEventId = z.object({
  "last-event-id": queryNumber.describe("Sent by a browser that reconnects; wins over `after`").exactOptional(),
});

interface EventRoutesOptions {
  readonly sessions: Sessions;
  readonly keepAliveMs: number;
  readonly closing: AbortSignal;
}

/** Events as they are committed, over SSE: of one session, and of the list of all sessions. */
export function eventRoutes({ app }: Pick<NativeApp, "app">, { sessions, ...stream }: EventRoutesOptions): void {
  const updatesDoc = { summary: "Follow changes to any session from now on", streams: true };
  app.get("/api/sessions/stream", { config: { access: "sessions", doc: updatesDoc } }, async (request, reply) => {
    const { caller } = callOf(request);
    const follow = (signal: AbortSignal) => toText(sessions.followUpdates(signal, caller), toData);
    await followOverSse({ ...stream, request, reply, follow });
  });
  const eventsDoc = {
    summary: "Follow a session's events as they are committed",
    query: followQuery,
    headers: lastEventId,
    streams: true,
  };
  app.get("/api/sessions/:id/events", { config: { access: "sessions", doc: eventsDoc } }, async (request, reply) => {
    const { caller, params } = callOf(request);
    const { after, raw } = readPart(followQuery, request.query, "");
    const { "last-event-id": seen = after } = readPart(lastEventId, request.headers, "");
    assertReached(seen, await sessions.get(params.id, caller));
    const follow = (signal: AbortSignal) =>
      toText(sessions.followLog(params.id, { after: seen, raw, signal }, caller), toEvent);
    await followOverSse({ ...stream, request, reply, follow });
  });
}

/** A client ahead of the log has read another log: waiting until this one gets that far would skip events. */
export function assertReached(after: number, { lastSeq }: { readonly lastSeq: number }): void {
  if (after <= lastSeq) return;
  throw new CaretError("invalid-request", `after: the log of this session ends at ${lastSeq}`, {
    fix: "Discard what you have of this session and read it from the start.",
  });
}

export async function* toText<Item>(
  batches: AsyncIterable<readonly Item[]>,
  write: (item: Item) => string,
): AsyncGenerator<string> {
  for await (const batch of batches) yield batch.map(write).join("");
}

export function toData(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function toEvent(envelope: EventEnvelope): string {
  return `id: ${envelope.seq}\n${toData(envelope)}`;
}

interface FollowOptions {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Yields batches, each as whole SSE events, until the signal aborts. */
  readonly follow: (signal: AbortSignal) => AsyncIterable<string>;
  /** Aborts when the server closes: a follower can reconnect, so shutdown does not wait for it. */
  readonly closing: AbortSignal;
  readonly keepAliveMs: number;
}

/**
 * Writes one batch at a time: the next is requested when the client has read the last (backpressure), and a client that stops reading is
 * disconnected. It resumes with the id of the last event it saw.
 */
export async function followOverSse({ request, reply, follow, closing, keepAliveMs }: FollowOptions): Promise<void> {
  const { signal, meter } = requestContextOf(request);
  const stop = new AbortController();
  const batches = follow(stop.signal)[Symbol.asyncIterator]();
  // Subscribe before the response head is sent: a client that has the head must not miss any event from then on.
  const first = batches.next();
  // Awaited below; avoid an unhandled rejection if it fails before that.
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

/** The status line is sent already, so the error goes into the stream. */
function errorEvent(request: FastifyRequest, reason: unknown): string {
  const error = CaretError.from(reason);
  if (error.code === "internal") request.log.error({ err: reason }, "A stream failed unexpectedly");
  return `event: error\ndata: ${JSON.stringify(toNativeError(error.toInfo()).body)}\n\n`;
}
