import type { AddressInfo } from "node:net";
import type { createServer } from "@caret/gateway";
import { CaretError } from "@caret/protocol";
import type { Config } from "../config/config-schema.ts";
import { type LocalSocket, listenLocally } from "./listen-locally.ts";

/** How many ports after the default one are tried. */
const PORTS_TRIED = 20;

/**
 * `localhost` has two addresses. Fastify would open a second server for `::1`, whose connections are not closed when the
 * gateway stops; clients that try `::1` first fall back to this one.
 */
const LOCALHOST = "127.0.0.1";

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Whether another port may be taken; only if none was asked for. */
  readonly mayMovePort: boolean;
}

/** Listens on the port and on the Unix socket: on both or on neither. */
export async function listenEverywhere(
  app: ReturnType<typeof createServer>,
  { config: { server, dataDir }, mayMovePort }: Pick<ListenOptions, "mayMovePort"> & { readonly config: Config },
): Promise<{ readonly url: string; readonly socket: LocalSocket | undefined }> {
  const url = await listen(app, { ...server, mayMovePort });
  try {
    return { url, socket: await listenLocally(app.server, dataDir) };
  } catch (reason) {
    await app.close();
    throw reason;
  }
}

/** Listens on the port, or on the next free one if allowed. Resolves to the address. */
async function listen(app: ReturnType<typeof createServer>, options: ListenOptions): Promise<string> {
  const { host, port: first, mayMovePort } = options;
  const address = host === "localhost" ? LOCALHOST : host;
  const last = mayMovePort && first !== 0 ? first + PORTS_TRIED : first;
  for (let port = first; ; port += 1) {
    try {
      await app.listen({ host: address, port });
      return toUrl(host, app.server.address() as AddressInfo);
    } catch (reason) {
      if (!isTaken(reason) || port >= last) throw cannotListen(`${host}:${port}`, reason);
    }
  }
}

function toUrl(host: string, { port }: AddressInfo): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function isTaken(reason: unknown): boolean {
  return (reason as NodeJS.ErrnoException).code === "EADDRINUSE";
}

function cannotListen(address: string, cause: unknown): CaretError {
  const fix = isTaken(cause)
    ? "Choose another port with `--port`, or 0 for any that is free."
    : "Choose an address of this machine.";
  return new CaretError("invalid-request", `Cannot listen on ${address}`, { cause, fix });
}
