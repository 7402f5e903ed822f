import type { IncomingMessage } from "node:http";
import fastifyWebsocket from "@fastify/websocket";
import type { FastifyInstance } from "fastify";

/** The subprotocols of all routes; a route reads which one was chosen. */
const PROTOCOLS = ["caret.events", "cursor-agent.events"] as const;

/** Addresses that accept WebSockets. */
export const EVENTS_SOCKET = "/api/sessions/:id/socket";
export const RESPONSES_SOCKET = "/v1/responses";

/** Stricter than the router: whatever matches has a route. */
const SOCKET_PATH = /^(?:\/api\/sessions\/[\w.~-]+\/socket|\/v1\/responses)(?:\?|$)/;

export function asksForSocket({ method, url = "", headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket" && SOCKET_PATH.test(url);
}

/** One for all routes of the server: a second one would answer every upgrade again. */
export function openWebSockets(app: FastifyInstance, maxPayload: number): void {
  app.register(fastifyWebsocket, {
    options: { maxPayload, perMessageDeflate: false, handleProtocols: chooseProtocol },
    // Routes close their sockets themselves.
    preClose: (done) => done(),
    errorHandler: (_error, socket) => socket.terminate(),
  });
}

export function hasWebSockets(app: FastifyInstance): boolean {
  return app.hasDecorator("websocketServer");
}

/** The first known protocol. A page offers its key as another one, which is never echoed. */
function chooseProtocol(offered: Set<string>): string | false {
  return [...offered].find((protocol) => PROTOCOLS.some((known) => known === protocol)) ?? false;
}
