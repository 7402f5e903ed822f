import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Duplex } from "node:stream";
import { CaretError } from "@caret/protocol";
import { type PrivateServer, servePrivately } from "../paths/serve-privately.ts";
import type { AddressPolicy } from "../tools/web/address-policy.ts";
import { type AllowedHosts, allowedHosts } from "./allowed-hosts.ts";

const CONNECT_MS = 10_000;
const MAX_CONNECTIONS = 512;

export interface ProxyOptions {
  readonly hosts: readonly string[];
  readonly isAllowed?: AddressPolicy;
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
}

export interface LazyProxy {
  /** The path of its socket. Opened by the first sandbox that needs it, and shared by all. */
  open(): Promise<string>;
  close(): Promise<void>;
}

type Connect = (host: string, port: number) => Promise<Socket>;

/**
 * The one way from a sandbox without a network to the hosts that it may reach: an HTTP proxy that only does CONNECT. It
 * listens on a socket file, which only sandboxes it is mounted in can see. Every address that a name has is checked, and
 * the very address that was checked is connected to. A redirect is a new CONNECT, and is judged as one.
 */
export function lazyProxy(options: ProxyOptions): LazyProxy {
  let opened: Promise<PrivateServer> | undefined;
  return {
    async open() {
      opened ??= openProxy(options);
      return (await opened).path;
    },
    async close() {
      await (await opened)?.close();
    },
  };
}

async function openProxy(options: ProxyOptions): Promise<PrivateServer> {
  const hosts = allowedHosts(options.hosts);
  const connect = await guardedConnect(options, hosts);
  const server = createServer((_, response) => {
    response.writeHead(405, { "content-type": "text/plain" }).end("This proxy only does CONNECT.\n");
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on("connect", (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on("error", () => client.destroy()); // the sandbox is gone
    tunnel(request, hosts, connect).then(
      (upstream) => carry(client, upstream, head),
      (reason: unknown) => refuse(client, CaretError.from(reason)),
    );
  });
  const path = join(mkdtempSync(join(tmpdir(), "caret-")), "network.sock");
  const served = await servePrivately(server, path);
  return {
    path,
    async close() {
      await served.close();
      rmSync(dirname(path), { recursive: true, force: true });
    },
  };
}

/** As every fetching tool of the gateway connects. Loaded with the first sandbox that needs it. */
async function guardedConnect(
  { isAllowed, resolve }: ProxyOptions,
  { trustedOrigins }: AllowedHosts,
): Promise<Connect> {
  const { createGuardedConnector } = await import("../tools/web/guarded-connector.ts");
  const { createPublicAddressPolicy } = await import("../tools/web/address-policy.ts");
  const { resolveAll } = await import("../tools/web/outbound-fetch.ts");
  const connector = createGuardedConnector({
    isAllowed: isAllowed ?? createPublicAddressPolicy(),
    trustedOrigins,
    resolve: resolve ?? resolveAll,
    connectMs: CONNECT_MS,
  });
  return (hostname, port) =>
    new Promise((done, fail) => {
      const target = { hostname, host: `${hostname}:${port}`, port: String(port), protocol: "http:" };
      connector(target, (error, socket) => (error === null ? done(socket) : fail(error)));
    });
}

async function tunnel({ url = "" }: IncomingMessage, hosts: AllowedHosts, connect: Connect): Promise<Socket> {
  const [, host = "", port = ""] = /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/.exec(url) ?? [];
  if (!hosts.isAllowed(host, Number(port)))
    throw new CaretError("forbidden", `${url} is not among the hosts that this sandbox may reach`);
  return await connect(host, Number(port));
}

function carry(client: Duplex, upstream: Socket, head: Buffer): void {
  const end = (): void => {
    client.destroy();
    upstream.destroy();
  };
  upstream.on("error", end).on("close", end);
  client.on("close", end);
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  upstream.write(head);
  upstream.pipe(client);
  client.pipe(upstream);
}

function refuse(client: Duplex, { code, message }: CaretError): void {
  const status = code === "forbidden" ? "403 Forbidden" : "502 Bad Gateway";
  client.end(`HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${message}\n`);
}
