import { setImmediate as nextLoop } from "node:timers/promises";
import type { ClientConnection } from "@caret/protocol";
import { isAlive, type ProcessIdentity } from "./process-identity.ts";
import { socketLinks, socketOwners, toHexPort } from "./socket-owners.ts";

/** The process at the other end of a connection. */
export interface ClientProcess {
  isAlive(): boolean;
}

/** Undefined for a client on another machine or of another user, and without /proc. */
export type FindClientProcess = (connection: ClientConnection) => Promise<ClientProcess | undefined>;

const ESTABLISHED = "01";

/** Finds the processes of local clients. Connections requested during a search share the next one. */
export function createClientFinder(): FindClientProcess {
  const known = new WeakMap<ClientConnection, Promise<ClientProcess | undefined>>();
  let waiting: Promise<ReadonlyMap<string, ProcessIdentity>> | undefined;
  const wanted = new Set<string>();

  const look = async (): Promise<ReadonlyMap<string, ProcessIdentity>> => {
    await nextLoop(); // batches requests made at the same moment
    waiting = undefined;
    const links = new Set(wanted);
    wanted.clear();
    return await socketOwners(links);
  };

  const find = async (connection: ClientConnection): Promise<ClientProcess | undefined> => {
    const link = isLoopback(connection.remoteAddress) ? socketLink(connection) : undefined;
    if (link === undefined) return undefined;
    wanted.add(link);
    waiting ??= look();
    const owner = (await waiting).get(link);
    return owner?.startTime === undefined ? undefined : { isAlive: () => isAlive(owner) };
  };

  return (connection) => {
    const found = known.get(connection) ?? find(connection);
    known.set(connection, found);
    return found;
  };
}

function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(address);
}

/** The link of the client's end of the connection among its open files. */
function socketLink({ remotePort, localPort }: ClientConnection): string | undefined {
  return socketLinks(`:${toHexPort(remotePort)} [0-9A-F]+:${toHexPort(localPort)} ${ESTABLISHED} `)[0];
}
