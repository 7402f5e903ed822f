import { readdirSync, readlinkSync } from "node:fs";
import { setImmediate as nextLoop } from "node:timers/promises";
import type { ClientConnection } from "@caret/protocol";
import { identifyProcess, isAlive, type ProcessIdentity, readProcFile } from "./process-identity.ts";

/** The process at the other end of a connection. */
export interface ClientProcess {
  isAlive(): boolean;
}

/** Undefined for a client on another machine, of another user, or where there is no /proc: nothing is known of those. */
export type FindClientProcess = (connection: ClientConnection) => Promise<ClientProcess | undefined>;

/** Looking through the open files of all processes takes a while: nothing else may stand still for it. */
const PROCESSES_AT_ONCE = 16;
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
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readProcFile(path) ?? "");
  const ends = `:${toHex(remotePort)} [0-9A-F]+:${toHex(localPort)} ${ESTABLISHED} `;
  const line = new RegExp(`^.*${ends}.*$`, "m").exec(tables.join("\n"))?.[0];
  const inode = line?.trim().split(/\s+/)[9];
  return inode === undefined || inode === "0" ? undefined : `socket:[${inode}]`;
}

function toHex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}

async function socketOwners(links: ReadonlySet<string>): Promise<ReadonlyMap<string, ProcessIdentity>> {
  const owners = new Map<string, ProcessIdentity>();
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  for (const [index, pid] of pids.entries()) {
    for (const link of openFiles(pid)) if (links.has(link)) owners.set(link, identifyProcess(pid));
    if (owners.size === links.size) break;
    if (index % PROCESSES_AT_ONCE === 0) await nextLoop();
  }
  return owners;
}

function openFiles(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((file) => linkOf(`/proc/${pid}/fd/${file}`));
  } catch {
    return []; // gone meanwhile, or another user's
  }
}

function linkOf(path: string): readonly string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return []; // closed meanwhile
  }
}
