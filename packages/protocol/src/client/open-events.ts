import { CaretError } from "../errors/caret-error.ts";
import type { StreamBatch } from "./follow-stream.ts";
import { addressOf, type NativeClientOptions, type NativeWire } from "./native-wire.ts";
import { type SseMessage, sseConnection } from "./sse-connection.ts";

interface EventsWanted {
  readonly id: string;
  readonly last: () => number;
  readonly raw?: boolean;
  readonly signal: AbortSignal;
}

/** Opens one SSE connection to a session's events. */
export function eventStream(
  wire: NativeWire,
  { silenceMs }: NativeClientOptions,
  { id, last, raw = false, signal }: EventsWanted,
): AsyncIterable<StreamBatch> {
  return sseConnection(wire, {
    path: `sessions/${encodeURIComponent(id)}/events`,
    query: raw ? { raw } : {},
    headers: { "last-event-id": String(last()) },
    signal,
    silenceMs,
  });
}

/** The same over a WebSocket. */
export async function* eventSocket(
  wire: NativeWire,
  { baseUrl, socketProtocols }: NativeClientOptions,
  { id, last, raw = false, signal }: EventsWanted,
): AsyncGenerator<StreamBatch, void> {
  const path = `sessions/${encodeURIComponent(id)}`;
  const url = addressOf(baseUrl, { path: `${path}/socket` }).replace(/^http/, "ws");
  const greeting = JSON.stringify({ since: last(), raw });
  yield* socketConnection({ url, protocols: socketProtocols?.() ?? [], greeting, signal });
  if (signal.aborted) return;
  // A socket gives no reason for being refused or closed. This request tells whether the session still exists for us.
  await (await wire.open({ path, signal })).arrayBuffer();
  throw new CaretError("upstream-unreachable", "The connection to the gateway was lost");
}

interface SocketSource {
  readonly url: string;
  readonly protocols: readonly string[];
  /** The first message sent. */
  readonly greeting: string;
  readonly signal: AbortSignal;
}

/**
 * Reads one WebSocket like an event stream. Ends when it is refused or closed by either side; a socket gives no reason. Heartbeats are
 * handled by the browser and invisible here.
 */
async function* socketConnection(source: SocketSource): AsyncGenerator<StreamBatch, void> {
  const { url, protocols, greeting, signal } = source;
  const socket = new WebSocket(url, [...protocols]);
  let waiting: SseMessage[] = [];
  let wake = (): void => undefined;
  const hangUp = (): void => {
    leave(socket);
    // The other side may take a while to complete the closing handshake.
    wake();
  };
  const nextWake = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  signal.addEventListener("abort", hangUp);
  let next = nextWake();
  socket.addEventListener("open", () => {
    socket.send(greeting);
    wake();
  });
  socket.addEventListener("message", ({ data }) => {
    waiting.push({ id: undefined, data: String(data) });
    wake();
  });
  socket.addEventListener("close", () => wake());
  try {
    await next;
    if (socket.readyState !== WebSocket.OPEN) return;
    next = nextWake();
    yield undefined;
    while (waiting.length > 0 || socket.readyState === WebSocket.OPEN) {
      if (waiting.length === 0) await next;
      next = nextWake();
      const batch = waiting;
      waiting = [];
      if (batch.length > 0) yield batch;
    }
  } finally {
    signal.removeEventListener("abort", hangUp);
    leave(socket);
  }
}

/** Waits for the socket to open before closing it: browsers log an error for one closed while connecting. */
function leave(socket: WebSocket): void {
  if (socket.readyState === WebSocket.CONNECTING) socket.addEventListener("open", () => socket.close());
  else socket.close();
}
