import { CaretError } from "../caret-error.ts";
import type { StreamBatch } from "./follow-stream.ts";
import type { NativeWire } from "./native-wire.ts";
import { sseMessages } from "./sse-messages.ts";

interface SseSource {
  readonly path: string;
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** How long it may say nothing, not even a heartbeat. */
  readonly silenceMs?: number | undefined;
}

const DEFAULT_SILENCE_MS = 45_000;

/** One connection to one of the gateway's event streams. Rejects when it breaks or goes silent. */
export async function* sseConnection(wire: NativeWire, source: SseSource): AsyncGenerator<StreamBatch, void> {
  const { path, query, headers = {}, signal, silenceMs = DEFAULT_SILENCE_MS } = source;
  const line = new AbortController();
  const hangUp = (): void => line.abort();
  signal.addEventListener("abort", hangUp);
  let silence = setTimeout(hangUp, silenceMs);
  try {
    const request = { path, signal: line.signal, headers: { accept: "text/event-stream", ...headers } };
    const response = await wire.open(query === undefined ? request : { ...request, query });
    const { body } = response;
    if (body === null || response.headers.get("content-type")?.startsWith("text/event-stream") !== true)
      throw new CaretError("upstream-unreachable", "Something else answers at the gateway's address");
    yield undefined;
    for await (const batch of sseMessages(chunksOf(body))) {
      // While the reader takes its time, the gateway is not the silent one.
      clearTimeout(silence);
      yield batch;
      silence = setTimeout(hangUp, silenceMs);
    }
  } catch (error) {
    // Our own hanging up is no cancellation: nobody asked for it.
    if (line.signal.aborted && !signal.aborted)
      throw new CaretError("upstream-unreachable", "The gateway has gone silent", { cause: error });
    throw error;
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", hangUp);
    line.abort();
  }
}

/** Not every browser's streams can be iterated. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
  } finally {
    // Already broken is as good as cancelled.
    await reader.cancel().catch(() => undefined);
  }
}
