import { setImmediate as nextLoop } from "node:timers/promises";
import type { ClientConnection } from "@caret/protocol";
import { isAlive, type ProcessIdentity } from "./process-identity.ts";
import { socketLinks, socketOwners, toHexPort } from "./socket-owners.ts";

/** The process at the other end of a connection. */
export interface ClientProcess {
  isAlive(): boolean;
}

/** Undefined for a client on another machine, of another user, or where there is no /proc: nothing is known of those. */
export type FindClientProcess = (connection: ClientConnection) => Promise<ClientProcess | undefined>;

const ESTABLISHED = "01";

/** Finds the processes of local clients, for as many connections at once as are asked for while it looks. */
export function createClientFinder(): FindClientProcess {
  const known = new WeakMap<ClientConnection, Promise<ClientProcess | undefined>>();
  let waiting: Promise<ReadonlyMap<string, ProcessIdentity>> | undefined;
  const wanted = new Set<string>();

  const look = async (): Promise<ReadonlyMap<string, ProcessIdentity>> => {
    await nextLoop(); // those who ask in the same moment are looked for together
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

/** What the client's end of the connection is called among its open files. */
function socketLink({ remotePort, localPort }: ClientConnection): string | undefined {
  return socketLinks(`:${toHexPort(remotePort)} [0-9A-F]+:${toHexPort(localPort)} ${ESTABLISHED} `)[0];
}
