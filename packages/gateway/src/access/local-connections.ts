import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { TokenGrant } from "./token-store.ts";

const local = new WeakSet<Socket>();

/** Whom the gateway takes a program for that comes by its Unix socket without a token. */
const LOCAL_GRANT: TokenGrant = { name: "socket", scopes: ["admin"] };

/**
 * Serve a connection of a Unix socket as any other. A client that could connect runs as the gateway's own user: the socket has mode 0600 in a directory
 * of mode 0700, and no browser connects to one. So a request on it needs no token; Host and Origin are checked all the same.
 */
export function acceptLocal(server: Server, socket: Socket): void {
  local.add(socket);
  server.emit("connection", socket);
}

/** What a request by the Unix socket may do without a token; undefined for any other request, and for one that brings a token. */
export function localGrant({ socket, headers }: IncomingMessage): TokenGrant | undefined {
  const hasToken = headers.authorization !== undefined || headers["x-api-key"] !== undefined;
  return local.has(socket) && !hasToken ? LOCAL_GRANT : undefined;
}
