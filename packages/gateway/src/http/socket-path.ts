import type { IncomingMessage } from "node:http";

/** The only address with a WebSocket behind it. */
export const SOCKET_ROUTE = "/api/sessions/:id/socket";

/** Stricter than the router: whatever it lets through has a route. */
const SOCKET_PATH = /^\/api\/sessions\/[\w.~-]+\/socket(?:\?|$)/;

export function asksForSocket({ method, url = "", headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket" && SOCKET_PATH.test(url);
}
