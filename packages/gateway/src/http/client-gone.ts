import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ClientConnection } from "@caret/protocol";

const known = new WeakMap<Socket, ClientConnection>();

/** Fires when the connection closes before the answer was written; at once if it is closed already. */
export function clientGone(raw: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const onClose = (): void => {
    if (!raw.writableFinished) gone.abort(new DOMException("The client has gone", "AbortError"));
  };
  // A door may have waited since the request arrived.
  if (raw.destroyed) onClose();
  else raw.once("close", onClose);
  return gone.signal;
}

/** Undefined if the connection is closed already. */
export function connectionOf(socket: Socket): ClientConnection | undefined {
  const { remoteAddress, remotePort, localPort } = socket;
  if (remoteAddress === undefined || remotePort === undefined || localPort === undefined) return undefined;
  const connection = known.get(socket) ?? { remoteAddress, remotePort, localPort };
  known.set(socket, connection);
  return connection;
}
