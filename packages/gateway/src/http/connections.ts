import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The connections of each watched server, with the requests being answered on them. */
const watched = new WeakMap<Server, Connections>();

interface Connections {
  closeUnused(): void;
}

/** Tracks which connections are in use. Call it before the server listens. */
export function watchConnections(server: Server): void {
  const connections = new Map<Socket, Set<IncomingMessage>>();
  let isClosing = false;

  const closeIfUnused = (socket: Socket): void => {
    const requests = connections.get(socket);
    if (isClosing && requests?.size === 0) socket.destroySoon();
  };

  server.on("connection", (socket: Socket) => {
    connections.set(socket, new Set());
    socket.once("close", () => connections.delete(socket));
    closeIfUnused(socket);
  });
  // The door that speaks on a WebSocket closes it.
  server.on("upgrade", ({ socket }: IncomingMessage) => connections.delete(socket));
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    connections.get(socket)?.add(request);
    response.once("close", () => {
      connections.get(socket)?.delete(request);
      closeIfUnused(socket);
    });
  });

  watched.set(server, {
    closeUnused() {
      isClosing = true;
      for (const [socket, requests] of connections) {
        // Half a request does not count: it has begun nothing, and its other half may never come.
        const isAnswering = [...requests].some(({ complete }) => complete);
        if (!isAnswering) socket.destroy();
      }
    },
  });
}

/**
 * Stops listening and closes every connection on which no request is being answered: at once, or as soon as its answer is out. Node itself
 * would wait, until its own time-out, for connections that have sent nothing yet, such as those that browsers open ahead.
 */
export function stopTaking(server: Server): void {
  if (server.listening) server.close();
  watched.get(server)?.closeUnused();
}
