import { connect as connectHttp2 } from "node:http2";
import { isIP } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { unreachable } from "../../../credentials/upstream-failure.ts";

export type HttpVersion = "2" | "1.1";

/** What was found out about a server. Over TLS the probing connection is ready for use. */
export interface FoundVersion {
  readonly version: HttpVersion;
  readonly socket?: TLSSocket;
}

export interface FindVersionOptions {
  readonly ca: readonly string[] | undefined;
  readonly connectMs: number;
}

/** A server that speaks only HTTP/1.1 may wait for the rest of what it parses as a request. */
const PREFACE_MS = 2_000;

/**
 * Finds out which HTTP a server speaks: over TLS by ALPN; without TLS it either answers HTTP/2's preface with its settings or does not
 * understand it.
 */
export async function findHttpVersion(url: URL, options: FindVersionOptions): Promise<FoundVersion> {
  return url.protocol === "https:" ? await askByAlpn(url, options) : await askByPreface(url);
}

async function askByAlpn(url: URL, { ca, connectMs }: FindVersionOptions): Promise<FoundVersion> {
  const { promise, resolve, reject } = Promise.withResolvers<FoundVersion>();
  const socket = dialTls(url, { ca, protocols: ["h2", "http/1.1"] });
  const timer = setTimeout(() => socket.destroy(new Error(`No connection within ${connectMs} ms`)), connectMs);
  const onError = (reason: Error): void => reject(unreachable(url, reason));
  socket.once("error", onError);
  socket.once("secureConnect", () => {
    socket.off("error", onError);
    if (socket.alpnProtocol === "h2") return resolve({ version: "2", socket });
    socket.destroy();
    resolve({ version: "1.1" });
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

/** A TLS connection that offers these protocols. An IP address cannot be sent by SNI. */
export function dialTls(
  { hostname, port }: URL,
  { ca, protocols }: { readonly ca: readonly string[] | undefined; readonly protocols: readonly string[] },
): TLSSocket {
  const host = hostname.replaceAll(/[[\]]/g, "");
  return connectTls({
    host,
    port: Number(port || 443),
    ALPNProtocols: [...protocols],
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca: [...ca] }),
  });
}

async function askByPreface(url: URL): Promise<FoundVersion> {
  const { promise, resolve, reject } = Promise.withResolvers<FoundVersion>();
  const session = connectHttp2(url.origin);
  let isConnected = false;
  const timer = setTimeout(() => resolve({ version: "1.1" }), PREFACE_MS);
  session.once("connect", () => {
    isConnected = true;
  });
  session.once("remoteSettings", () => resolve({ version: "2" }));
  session.once("close", () => resolve({ version: "1.1" }));
  session.on("error", (reason) => {
    if (isConnected) resolve({ version: "1.1" });
    else reject(unreachable(url, reason));
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    session.destroy();
  }
}
