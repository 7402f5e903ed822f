import { CaretError, type EventEnvelope, parseJson, type Sessions, toSeedEvent } from "@caret/protocol";
import type { WebSocket } from "@fastify/websocket";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { readPart } from "../http/read-body.ts";
import { refusalWith } from "../http/refusals.ts";
import { requestContextOf } from "../http/request-context.ts";
import { createSocketWriter, type SocketWriter } from "../http/socket-writer.ts";
import { EVENTS_SOCKET } from "../http/web-sockets.ts";
import { toNativeError } from "./errors.ts";
import { assertReached } from "./event-routes.ts";
import { flag, text } from "./fields.ts";
import { callOf } from "./native-routes.ts";

/** A client sends one message: where to start. */
const MAX_MESSAGE_BYTES = 4096;
const SINCE_MS = 10_000;

/** The shape in which pages for the agent's own stream store events. */
const SEED_EVENTS = "cursor-agent.events";

/** The first message of a client: start after this event, given by its number or its id. */
const sinceMessage = z.object({
  since: z.union(
    [z.int().nonnegative(), text.regex(/:\d{1,15}$/).transform((id) => Number(id.slice(id.lastIndexOf(":") + 1)))],
    { error: "must be the number of an event, 0 for all, or the id of one" },
  ),
  raw: flag.exactOptional(),
});

/** Close codes of RFC 6455. */
const codes = { done: 1000, leaving: 1001, refused: 1008, tooBig: 1009, failed: 1011 } as const;

export interface EventSocketOptions {
  readonly sessions: Sessions;
  readonly keepAliveMs: number;
  readonly closing: AbortSignal;
  readonly sinceMs?: number | undefined;
}

/** A session's events over a WebSocket. The server's checks all run before the upgrade, as for any other request. */
export function eventSocket(app: FastifyInstance, options: EventSocketOptions): void {
  app.route({
    method: "GET",
    url: EVENTS_SOCKET,
    config: {
      access: "sessions",
      doc: { summary: 'Follow a session\'s events over a WebSocket; the first message is {"since": <seq>}' },
    },
    // Before the upgrade, so a client gets HTTP 404 for a session that does not exist.
    preHandler: async (request) => {
      const { params, caller } = callOf(request);
      await options.sessions.get(params.id, caller);
    },
    handler: async (_request, reply) => {
      reply.header("upgrade", "websocket");
      throw refusalWith(426, "This address is for WebSockets; GET …/events gives the same over SSE.");
    },
    wsHandler: (socket, request) => serveSocket(socket, request, options),
  });
}

async function serveSocket(socket: WebSocket, request: FastifyRequest, options: EventSocketOptions): Promise<void> {
  const { sessions, keepAliveMs, closing, sinceMs = SINCE_MS } = options;
  const { params, caller } = callOf(request);
  const { signal, meter } = requestContextOf(request);
  const stop = AbortSignal.any([signal, closing]);
  const writer = createSocketWriter(socket, { stream: request.raw.socket, stop, keepAliveMs, meter });
  const isSeed = socket.protocol === SEED_EVENTS;
  const write = isSeed ? (envelope: EventEnvelope) => JSON.stringify(toSeedEvent(envelope)) : toJson;
  try {
    const { since, raw = false } = await firstMessage(
      socket,
      AbortSignal.any([writer.signal, AbortSignal.timeout(sinceMs)]),
    );
    assertReached(since, await sessions.get(params.id, caller));
    const follow = { after: since, raw: raw || isSeed, signal: writer.signal };
    for await (const batch of sessions.followLog(params.id, follow, caller)) await writer.write(batch.map(write));
    if (stop.aborted) writer.end(codes.leaving, "The gateway ends this stream; reconnect with the last seq");
    else writer.end(codes.done, "The session is gone");
  } catch (reason) {
    await closeWithReason(writer, stop, reason);
  }
}

function toJson(envelope: EventEnvelope): string {
  return JSON.stringify(envelope);
}

/** Rejects if no valid message arrives in time. */
async function firstMessage(socket: WebSocket, signal: AbortSignal) {
  const text = await new Promise<string>((resolve, reject) => {
    const late = () => reject(new CaretError("invalid-request", 'No first message {"since": <seq>} arrived in time'));
    signal.addEventListener("abort", late, { once: true });
    socket.once("message", (data: Buffer) => {
      signal.removeEventListener("abort", late);
      if (data.length > MAX_MESSAGE_BYTES) socket.close(codes.tooBig, "The message is too big");
      else resolve(String(data));
    });
  });
  return readPart(sinceMessage, parse(text), "");
}

function parse(text: string): unknown {
  const value = parseJson(text);
  if (value !== undefined) return value;
  throw new CaretError("invalid-request", 'The first message must be JSON: {"since": <seq>}');
}

async function closeWithReason(writer: SocketWriter, stop: AbortSignal, reason: unknown): Promise<void> {
  if (stop.aborted) return writer.end(codes.leaving, "The gateway ends this stream; reconnect with the last seq");
  const error = CaretError.from(reason);
  await writer.write([JSON.stringify(toNativeError(error.toInfo()).body)]);
  writer.end(error.code === "invalid-request" ? codes.refused : codes.failed, error.message);
}
