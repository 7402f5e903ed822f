import { CaretError, type EventEnvelope, type Sessions, toSeedEvent } from "@caret/protocol";
import fastifyWebsocket, { type WebSocket } from "@fastify/websocket";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { SOCKET_ROUTE } from "../http/client-gone.ts";
import { refusalWith } from "../http/known-error.ts";
import { readPart } from "../http/read-body.ts";
import { requestContextOf } from "../http/request-context.ts";
import { toNativeError } from "./answer-with-error.ts";
import { sinceMessage } from "./bodies.ts";
import { assertReached } from "./event-routes.ts";
import { callOf } from "./native-command.ts";
import { createSocketWriter, type SocketWriter } from "./socket-writer.ts";

/** The only thing a client says is where to begin. */
const MAX_MESSAGE_BYTES = 4096;
const SINCE_MS = 10_000;

const EVENTS = "caret.events";
/** The shape in which pages for the agent's own stream store events. */
const SEED_EVENTS = "cursor-agent.events";

/** Close codes of RFC 6455. */
const codes = { done: 1000, leaving: 1001, refused: 1008, failed: 1011 } as const;

export interface EventSocketOptions {
  readonly desk: Sessions;
  readonly keepAliveMs: number;
  readonly closing: AbortSignal;
  readonly sinceMs?: number | undefined;
}

/** A session's events over a WebSocket. The server's checks all come before the upgrade, as for any other request. */
export async function eventSocket(app: FastifyInstance, options: EventSocketOptions): Promise<void> {
  await app.register(fastifyWebsocket, {
    options: { maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false, handleProtocols: chooseProtocol },
    // What the server's close means for an open socket is decided below, by `closing`.
    preClose: (done) => done(),
    errorHandler: (_error, socket) => socket.terminate(),
  });
  app.route({
    method: "GET",
    url: SOCKET_ROUTE,
    config: { access: "sessions" },
    // Before the upgrade, so that whoever asks for a session that does not exist is told so in HTTP.
    preHandler: async (request) => {
      const { params, caller } = callOf(request);
      await options.desk.get(params.id, caller);
    },
    handler: async (_request, reply) => {
      reply.header("upgrade", "websocket");
      throw refusalWith(426, "This address is for WebSockets; GET …/events gives the same over SSE.");
    },
    wsHandler: (socket, request) => serveSocket(socket, request, options),
  });
}

/** The first one that we know. What carries a page's key is none of them, so it is never said back. */
function chooseProtocol(offered: Set<string>): string | false {
  return [...offered].find((protocol) => protocol === EVENTS || protocol === SEED_EVENTS) ?? false;
}

async function serveSocket(socket: WebSocket, request: FastifyRequest, options: EventSocketOptions): Promise<void> {
  const { desk, keepAliveMs, closing, sinceMs = SINCE_MS } = options;
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
    assertReached(since, await desk.get(params.id, caller));
    const follow = { after: since, raw: raw || isSeed, signal: writer.signal };
    for await (const batch of desk.followLog(params.id, follow, caller)) await writer.write(batch.map(write));
    if (stop.aborted) writer.end(codes.leaving, "The gateway ends this stream; come back with the last seq");
    else writer.end(codes.done, "The session is gone");
  } catch (reason) {
    await sayFarewell(writer, stop, reason);
  }
}

function toJson(envelope: EventEnvelope): string {
  return JSON.stringify(envelope);
}

/** Rejects when none comes in time or it does not say where to begin. */
async function firstMessage(socket: WebSocket, signal: AbortSignal) {
  const text = await new Promise<string>((resolve, reject) => {
    const late = () => reject(new CaretError("invalid-request", 'The first message has to be {"since": <seq>}, soon'));
    signal.addEventListener("abort", late, { once: true });
    socket.once("message", (data) => {
      signal.removeEventListener("abort", late);
      resolve(String(data));
    });
  });
  return readPart(sinceMessage, parse(text), "");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CaretError("invalid-request", 'The first message has to be JSON: {"since": <seq>}');
  }
}

async function sayFarewell(writer: SocketWriter, stop: AbortSignal, reason: unknown): Promise<void> {
  if (stop.aborted) return writer.end(codes.leaving, "The gateway ends this stream; come back with the last seq");
  const error = CaretError.from(reason);
  await writer.write([JSON.stringify(toNativeError(error.toInfo()).body)]);
  writer.end(error.code === "invalid-request" ? codes.refused : codes.failed, error.message);
}
