import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { TLSSocket } from "node:tls";
import type { UniversalClientFn } from "@connectrpc/connect/protocol";
import { createNodeHttpClient } from "@connectrpc/connect-node";
import { within } from "../../../async/within.ts";
import { allowedUrl } from "../../../credentials/allowed-url.ts";
import { unreachable } from "../../../credentials/upstream-failure.ts";
import { GuardedSessionManager } from "./guarded-session-manager.ts";
import { dialTls, findHttpVersion, type HttpVersion } from "./http-version.ts";

/** How a server is reached: an HTTP client of one version, whose connection all requests share. */
export interface UpstreamLink {
  readonly url: URL;
  readonly version: HttpVersion;
  /** Rejects before sending anything if the address is not allowed. */
  readonly request: UniversalClientFn;
}

export interface UpstreamLinks {
  /** `version` is required by a setting or the server; without it the server is probed. */
  open(url: URL, version?: HttpVersion): Promise<UpstreamLink>;
  /** Ends every connection and all their requests. */
  close(): void;
}

export interface UpstreamLinksOptions {
  /** Certificates to trust in addition to the system's, as PEM. */
  readonly ca: readonly string[] | undefined;
  readonly connectMs?: number;
  readonly pingIntervalMs?: number;
  readonly pingTimeoutMs?: number;
}

const CONNECT_MS = 15_000;
const PING_INTERVAL_MS = 20_000;
const PING_TIMEOUT_MS = 10_000;
const IDLE_MS = 60_000;
/** HTTP/2's initial window of 64 KiB would make a fast reader wait. */
const WINDOW_BYTES = 1024 * 1024;

export function createUpstreamLinks(options: UpstreamLinksOptions): UpstreamLinks {
  const opened = new Map<string, Promise<UpstreamLink>>();
  const closers = new Set<() => void>();
  return {
    async open(url, version) {
      const key = `${version ?? "any"} ${url.origin}`;
      const allowed = allowedUrl(url.href, url.host);
      const link = opened.get(key) ?? openLink(allowed, version, { ...options, onOpen: (end) => closers.add(end) });
      opened.set(key, link);
      // A server that could not be reached may be back for the next turn.
      link.catch(() => opened.delete(key));
      // The connection belongs to the origin; the URL may include a path.
      return { ...(await link), url: allowed };
    },
    close() {
      for (const end of closers) end();
      closers.clear();
      opened.clear();
    },
  };
}

interface OpenLinkOptions extends UpstreamLinksOptions {
  readonly onOpen: (end: () => void) => void;
}

async function openLink(url: URL, demanded: HttpVersion | undefined, options: OpenLinkOptions): Promise<UpstreamLink> {
  const { ca, connectMs = CONNECT_MS } = options;
  const found = demanded === undefined ? await findHttpVersion(url, { ca, connectMs }) : { version: demanded };
  const request =
    found.version === "2"
      ? http2Client(url, { ...options, connectMs }, "socket" in found ? found.socket : undefined)
      : http1Client(url, options);
  return { url, version: found.version, request: guarded(request) };
}

function http2Client(
  url: URL,
  {
    ca,
    connectMs = CONNECT_MS,
    onOpen,
    pingIntervalMs = PING_INTERVAL_MS,
    pingTimeoutMs = PING_TIMEOUT_MS,
  }: OpenLinkOptions,
  first: TLSSocket | undefined,
): UniversalClientFn {
  let unused = first;
  const dial = (): TLSSocket => {
    const socket = unused ?? dialTls(url, { ca, protocols: ["h2"] });
    unused = undefined;
    return socket;
  };
  const manager = new GuardedSessionManager(
    url,
    { pingIntervalMs, pingTimeoutMs, idleConnectionTimeoutMs: IDLE_MS },
    {
      settings: { initialWindowSize: WINDOW_BYTES, enablePush: false },
      ...(url.protocol === "https:" ? { createConnection: dial } : {}),
    },
  );
  onOpen(() => {
    unused?.destroy();
    manager.abort();
  });
  const client = createNodeHttpClient({ httpVersion: "2", sessionProvider: () => manager });
  return async (request) => {
    const isConnected = manager.state() === "open" || manager.state() === "idle";
    // The manager itself waits for a connection without limit.
    if (!isConnected && !(await within(manager.connect(), connectMs)))
      manager.abort(unreachable(url, new Error(`No connection within ${connectMs} ms`)));
    return await client(request);
  };
}

function http1Client(url: URL, { ca, onOpen }: OpenLinkOptions): UniversalClientFn {
  const isTls = url.protocol === "https:";
  const agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  onOpen(() => agent.destroy());
  const tls = ca === undefined ? {} : { ca: [...ca] };
  return createNodeHttpClient({ httpVersion: "1.1", nodeOptions: { agent, ...tls } });
}

/** Checks every request's address: nothing is sent to a host that is not allowed. */
function guarded(request: UniversalClientFn): UniversalClientFn {
  return async (asked) => {
    allowedUrl(asked.url, "the address of a request");
    return await request(asked);
  };
}
