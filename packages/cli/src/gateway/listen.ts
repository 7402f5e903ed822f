import type { AddressInfo } from "node:net";
import type { createServer } from "@caret/gateway";
import { CaretError } from "@caret/protocol";
import { findPortHolder } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import { keepPort } from "./kept-port.ts";
import { type LocalSocket, listenLocally } from "./listen-locally.ts";

/**
 * `localhost` has two addresses. For `::1` Fastify would open a second server, whose connections stay open when the gateway stops; clients
 * that try `::1` first fall back to this one.
 */
const LOCALHOST = "127.0.0.1";

interface ListenOptions {
  readonly config: Config;
  /** Whether clients must find the gateway at the same port next time. If not, any port will do when this one is taken. */
  readonly keepsPort: boolean;
}

/** Listens on both the port and the Unix socket, or on neither. */
export async function listenEverywhere(
  app: ReturnType<typeof createServer>,
  { config: { server, dataDir }, keepsPort }: ListenOptions,
): Promise<{ readonly url: string; readonly socket: LocalSocket | undefined }> {
  const url = await listen(app, server, { keepsPort });
  // A random free port is not worth remembering.
  if (keepsPort && server.port !== 0) keepPort(dataDir, server.port);
  try {
    return { url, socket: await listenLocally(app.server, dataDir) };
  } catch (reason) {
    await app.close();
    throw reason;
  }
}

interface PortOptions {
  readonly keepsPort?: boolean;
  /** The flag that chooses another port. */
  readonly flag?: "--port" | "--metrics-port";
}

/** Resolves with the address. */
export async function listen(
  app: ReturnType<typeof createServer>,
  { host, port }: Pick<Config["server"], "host" | "port">,
  { keepsPort = true, flag = "--port" }: PortOptions = {},
): Promise<string> {
  const address = host === "localhost" ? LOCALHOST : host;
  const open = async (wanted: number): Promise<string> => {
    await app.listen({ host: address, port: wanted });
    return toUrl(host, app.server.address() as AddressInfo);
  };
  try {
    return await open(port).catch((reason: unknown) => {
      if (keepsPort || !isTaken(reason)) throw reason;
      return open(0);
    });
  } catch (reason) {
    throw await cannotListen(`${host}:${port}`, port, flag, reason);
  }
}

function toUrl(host: string, { port }: AddressInfo): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function isTaken(reason: unknown): boolean {
  return (reason as NodeJS.ErrnoException).code === "EADDRINUSE";
}

async function cannotListen(
  address: string,
  port: number,
  flag: PortOptions["flag"],
  cause: unknown,
): Promise<CaretError> {
  const problem = `Cannot listen on ${address}`;
  if (!isTaken(cause))
    return new CaretError("invalid-request", problem, { cause, fix: "Choose an address of this machine." });
  const holder = await findPortHolder(port);
  const who = holder === undefined ? "another process" : `process ${holder.pid} (${holder.command})`;
  return new CaretError("invalid-request", `${problem}: ${who} listens there`, {
    cause,
    fix:
      flag === "--port"
        ? "Stop it, or choose another port with `--port`, which later starts keep. Clients that were installed for the old port must be installed again."
        : `Stop it, or choose another port with \`${flag}\`.`,
  });
}
