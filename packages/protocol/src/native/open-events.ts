import { CaretError } from "../caret-error.ts";
import type { StreamBatch } from "./follow-stream.ts";
import { addressOf, type NativeClientOptions, type NativeWire } from "./native-wire.ts";
import { socketConnection } from "./socket-connection.ts";
import { sseConnection } from "./sse-connection.ts";

interface EventsWanted {
  readonly id: string;
  readonly last: () => number;
  readonly raw?: boolean;
  readonly signal: AbortSignal;
}

/** One connection to a session's events over SSE. */
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
  // A socket does not say why it was refused or closed. Whether the session is still there for us, this does.
  await (await wire.open({ path, signal })).arrayBuffer();
  throw new CaretError("upstream-unreachable", "The connection to the gateway was lost");
}
