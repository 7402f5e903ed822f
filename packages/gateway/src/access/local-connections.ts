import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { TokenGrant } from "./token-store.ts";

const local = new WeakSet<Socket>();

/** The grant of a program that connects by the Unix socket without a token. */
const LOCAL_GRANT: TokenGrant = { name: "socket", scopes: ["admin"] };

/**
 * Serves a Unix socket's connection like any other. A client that can connect runs as the gateway's own user: the socket has mode 0600 in a
 * directory of mode 0700, and no browser connects to one. So its requests need no token; Host and Origin are checked as usual.
 */
export function acceptLocal(server: Server, socket: Socket): void {
  local.add(socket);
  server.emit("connection", socket);
}

/** The grant of a request by the Unix socket without a token; undefined for any other request. */
export function localGrant({ socket, headers }: IncomingMessage): TokenGrant | undefined {
  const hasToken = headers.authorization !== undefined || headers["x-api-key"] !== undefined;
  return local.has(socket) && !hasToken ? LOCAL_GRANT : undefined;
}
