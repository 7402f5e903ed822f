import type { Socket } from "node:net";
import type { CallerConnection } from "../door/turn-desk.ts";

const known = new WeakMap<Socket, CallerConnection>();

/** Undefined when the connection is closed already. */
export function connectionOf(socket: Socket): CallerConnection | undefined {
  const { remoteAddress, remotePort, localPort } = socket;
  if (remoteAddress === undefined || remotePort === undefined || localPort === undefined) return undefined;
  const connection = known.get(socket) ?? { remoteAddress, remotePort, localPort };
  known.set(socket, connection);
  return connection;
}
