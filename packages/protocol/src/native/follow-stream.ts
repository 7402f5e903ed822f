import { CaretError } from "../caret-error.ts";
import type { ErrorCode } from "../error-catalogue.ts";
import { type NativeClientOptions, type NativeWire, toReachError, waitFor } from "./native-wire.ts";
import { type SseMessage, sseMessages } from "./sse-messages.ts";

export type StreamState = "open" | "reconnecting";

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Told when the line is there, and when it is lost with the reason. */
  readonly onState?: (state: StreamState, reason?: CaretError) => void;
}

export interface StreamSource extends FollowOptions {
  readonly path: string;
  readonly query?: object;
  /** Asked at every attempt: where to go on. */
  readonly headers?: () => Readonly<Record<string, string>>;
}

/** `retryNow` dispatches `now` when a waiting stream should make its next attempt. */
type FollowingOptions = NativeClientOptions & { readonly retryNow: EventTarget };

const DEFAULT_SILENCE_MS = 45_000;
const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 8000;

/**
 * The messages of one of the gateway's streams, over as many connections as it takes: `undefined` tells that one was
 * opened. Waits longer after each failure, by chance more or less, so that many pages do not return at once. Ends by the
 * signal; rejects when trying again would not help, since the token was revoked, for instance, or the session deleted.
 */
export async function* followStream(
  wire: NativeWire,
  source: StreamSource,
  options: FollowingOptions,
): AsyncGenerator<readonly SseMessage[] | undefined, void> {
  const progress = { failures: 0 };
  while (!source.signal.aborted) {
    const reason = yield* readUntilLost(connection(wire, source, options.silenceMs ?? DEFAULT_SILENCE_MS), progress);
    if (source.signal.aborted) return;
    if (LASTING.has(reason.code)) throw reason;
    source.onState?.("reconnecting", reason);
    await pause(progress.failures, source.signal, options);
    progress.failures++;
  }
}

/** Returns why the connection is over. */
async function* readUntilLost(
  batches: AsyncIterable<readonly SseMessage[] | undefined>,
  progress: { failures: number },
): AsyncGenerator<readonly SseMessage[] | undefined, CaretError> {
  try {
    for await (const batch of batches) {
      if (batch !== undefined) progress.failures = 0;
      // An empty one was a heartbeat.
      if (batch?.length !== 0) yield batch;
    }
    return new CaretError("upstream-unreachable", "The gateway ended the stream");
  } catch (error) {
    return toReachError(error);
  }
}

async function pause(failures: number, signal: AbortSignal, options: FollowingOptions): Promise<void> {
  const { random = Math.random, wait = waitFor, retryNow } = options;
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
  const awake = new AbortController();
  const wake = (): void => awake.abort();
  signal.addEventListener("abort", wake, { signal: awake.signal });
  retryNow.addEventListener("now", wake, { signal: awake.signal });
  await wait(longest * (0.5 + random() / 2), awake.signal);
  wake();
}

/** Trying again does not help against these. */
const LASTING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "unauthenticated",
  "forbidden",
  "workspace-forbidden",
  "not-found",
  "session-not-found",
  "invalid-request",
  "protocol-violation",
]);

async function* connection(
  wire: NativeWire,
  { path, query, headers, signal, onState }: StreamSource,
  silenceMs: number,
): AsyncGenerator<readonly SseMessage[] | undefined, void> {
  const line = new AbortController();
  const hangUp = (): void => line.abort();
  signal.addEventListener("abort", hangUp);
  let silence = setTimeout(hangUp, silenceMs);
  try {
    const request = { path, signal: line.signal, headers: { accept: "text/event-stream", ...headers?.() } };
    const response = await wire.open(query === undefined ? request : { ...request, query });
    const { body } = response;
    if (body === null || response.headers.get("content-type")?.startsWith("text/event-stream") !== true)
      throw new CaretError("upstream-unreachable", "Something else answers at the gateway's address");
    onState?.("open");
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
