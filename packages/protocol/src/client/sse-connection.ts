import { CaretError } from "../errors/caret-error.ts";
import type { StreamBatch } from "./follow-stream.ts";
import type { NativeWire } from "./native-wire.ts";

interface SseSource {
  readonly path: string;
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** How long the connection can be silent, without even a heartbeat. */
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
      // The clock stops while the reader is busy: that silence is not the gateway's.
      clearTimeout(silence);
      yield batch;
      silence = setTimeout(hangUp, silenceMs);
    }
  } catch (error) {
    // Our own hang-up is not a cancellation: no caller asked for it.
    if (line.signal.aborted && !signal.aborted)
      throw new CaretError("upstream-unreachable", "The gateway has gone silent", { cause: error });
    throw error;
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", hangUp);
    line.abort();
  }
}

/** Not every browser can iterate its streams. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
  } finally {
    // Cancelling a broken stream rejects, which is fine here.
    await reader.cancel().catch(() => undefined);
  }
}

/** One message of an event stream: its data, and its id if it has one. */
export interface SseMessage {
  readonly id: string | undefined;
  readonly data: string;
}

/**
 * Parses an event stream. Each chunk of bytes yields one batch of the messages it completed, possibly empty, so the reader notices
 * heartbeats. A message truncated by the end of the stream is dropped, as the standard requires: it comes again after reconnecting.
 */
async function* sseMessages(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly SseMessage[], void> {
  const decoder = new TextDecoder();
  /** Chunks since the last complete message, unjoined: a long message can span many. */
  let open: string[] = [];
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    const end = endOfMessages(open.at(-1) ?? "", text);
    if (text !== "") open.push(text.slice(0, end));
    if (end === undefined) {
      yield [];
      continue;
    }
    const whole = open.join("").slice(0, -2);
    open = end === text.length ? [] : [text.slice(end)];
    yield whole.split("\n\n").flatMap((message) => toMessage(message));
  }
}

/** Offset after the last message that ends in `text`, whose first line feed may be in the text before; undefined if none ends. */
function endOfMessages(before: string, text: string): number | undefined {
  const last = text.lastIndexOf("\n\n");
  if (last !== -1) return last + 2;
  return before.endsWith("\n") && text.startsWith("\n") ? 1 : undefined;
}

function toMessage(text: string): readonly SseMessage[] {
  let id: string | undefined;
  const data: string[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("data:")) data.push(fieldValue(line, "data:"));
    else if (line.startsWith("id:")) id = fieldValue(line, "id:");
  }
  return data.length === 0 ? [] : [{ id, data: data.join("\n") }];
}

function fieldValue(line: string, name: string): string {
  const value = line.slice(name.length);
  return value.startsWith(" ") ? value.slice(1) : value;
}
