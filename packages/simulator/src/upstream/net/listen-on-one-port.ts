import { createServer as createHttp1Server, type IncomingMessage, type ServerResponse } from "node:http";
import {
  createServer as createHttp2Server,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerOptions,
} from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { UpstreamBehaviour } from "../../scenario/wire-shapes.ts";

export type UpstreamRequest = IncomingMessage | Http2ServerRequest;
export type UpstreamResponse = ServerResponse | Http2ServerResponse;
export type OnRequest = (request: UpstreamRequest, response: UpstreamResponse) => void;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Without a certificate a TLS greeting is answered by closing the connection. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly behaviour: Pick<UpstreamBehaviour, "alpn" | "settings" | "connections">;
  /** Stands between a socket and the HTTP library; without it they touch, which is faster. */
  readonly relay?: ((socket: Socket) => Duplex) | undefined;
  readonly onRequest: OnRequest;
}

export interface Listening {
  readonly port: number;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** The first byte of a TLS record that begins a handshake. */
const TLS_HANDSHAKE = 0x16;
/** How a client begins that speaks HTTP/2 without TLS. */
const HTTP2_PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** TLS, HTTP/2 without TLS, and HTTP/1.1 on one port: the client's first bytes say which of them it speaks. */
export async function listenOnOnePort(options: ListenOptions): Promise<Listening> {
  const speakers = createSpeakers(options);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // A client that is gone is no error of ours; its run sees that the stream has closed.
    socket.on("error", () => undefined);
    if (options.behaviour.connections === "reset") socket.resetAndDestroy();
    // A socket that fails before it has said what it speaks has nothing to be answered.
    else if (options.behaviour.connections !== "blackhole")
      passOn(socket, speakers, options.relay).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

interface Speaker {
  emit(event: "connection", socket: Duplex): boolean;
}

interface Speakers {
  readonly tls: Speaker | undefined;
  readonly http2: Speaker;
  readonly http1: Speaker;
}

function createSpeakers({ tls, behaviour, onRequest }: ListenOptions): Speakers {
  const settings = { ...behaviour.settings };
  return {
    tls: tls && createTlsSpeaker(tls, { settings, onRequest, alpn: behaviour.alpn ?? ["h2", "http/1.1"] }),
    http2: createHttp2Server({ settings }, onRequest),
    http1: createHttp1Server({ keepAliveTimeout: 0, requestTimeout: 0 }, onRequest),
  };
}

interface TlsOptions {
  readonly settings: NonNullable<ServerOptions["settings"]>;
  readonly onRequest: OnRequest;
  readonly alpn: readonly ("h2" | "http/1.1")[];
}

/** The HTTP/2 library chooses the protocols itself, so that a server without HTTP/2 is another one. */
function createTlsSpeaker(tls: NonNullable<ListenOptions["tls"]>, { settings, onRequest, alpn }: TlsOptions): Speaker {
  if (!alpn.includes("h2")) return createHttpsServer({ ...tls, ALPNProtocols: [...alpn] }, onRequest);
  return createSecureServer({ ...tls, allowHTTP1: alpn.includes("http/1.1"), settings }, onRequest);
}

/** Reads until the first bytes identify the protocol, then hands the socket over with those bytes put back. */
async function passOn(socket: Socket, { tls, http2, http1 }: Speakers, relay: ListenOptions["relay"]): Promise<void> {
  const seen: Buffer[] = [];
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    seen.push(chunk);
    const bytes = Buffer.concat(seen);
    const speaker = bytes[0] === TLS_HANDSHAKE ? tls : speakerOf(bytes, http2, http1);
    if (speaker === "unclear") continue;
    if (speaker === undefined) {
      socket.destroy();
      return;
    }
    socket.unshift(bytes);
    speaker.emit("connection", relay === undefined ? socket : relay(socket));
    return;
  }
}

function speakerOf(bytes: Buffer, http2: Speaker, http1: Speaker): Speaker | "unclear" {
  const length = Math.min(bytes.length, HTTP2_PREFACE.length);
  if (!bytes.subarray(0, length).equals(HTTP2_PREFACE.subarray(0, length))) return http1;
  return bytes.length < HTTP2_PREFACE.length ? "unclear" : http2;
}
