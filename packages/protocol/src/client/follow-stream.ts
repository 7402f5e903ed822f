import { CaretError } from "../errors/caret-error.ts";
import type { ErrorCode } from "../errors/error-catalogue.ts";
import { type NativeClientOptions, toReachError, waitFor } from "./native-wire.ts";
import type { SseMessage } from "./sse-connection.ts";

export type StreamState = "open" | "reconnecting";

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Called when the connection opens and, with the reason, when it is lost. */
  readonly onState?: (state: StreamState, reason?: CaretError) => void;
}

/** The messages of one read, empty for a heartbeat; `undefined` when a connection has opened. */
export type StreamBatch = readonly SseMessage[] | undefined;

/** `retryNow` dispatches `now` to make a waiting stream retry at once. */
type FollowingOptions = NativeClientOptions & { readonly retryNow: EventTarget };

const FIRST_WAIT_MS = 300;
/** Upper bound on noticing that the gateway is back; pages state it. */
export const LONGEST_WAIT_MS = 2000;

/**
 * Yields the messages of one of the gateway's streams across reconnects; `undefined` marks each new connection. Waits longer after each
 * failure, with jitter so that many pages do not reconnect at once. Ends when the signal aborts; rejects if retrying cannot help, because
 * the token was revoked or the session deleted, say.
 */
export async function* followStream(
  connect: (signal: AbortSignal) => AsyncIterable<StreamBatch>,
  { signal, onState }: FollowOptions,
  options: FollowingOptions,
): AsyncGenerator<StreamBatch, void> {
  const progress = { failures: 0 };
  while (!signal.aborted) {
    const reason = yield* readUntilLost(connect(signal), progress, onState);
    if (signal.aborted) return;
    if (LASTING.has(reason.code)) throw reason;
    onState?.("reconnecting", reason);
    await pause(progress.failures, signal, options);
    progress.failures++;
  }
}

/** Returns why the connection ended. */
async function* readUntilLost(
  batches: AsyncIterable<StreamBatch>,
  progress: { failures: number },
  onState: FollowOptions["onState"],
): AsyncGenerator<StreamBatch, CaretError> {
  try {
    for await (const batch of batches) {
      if (batch === undefined) onState?.("open");
      else progress.failures = 0;
      // An empty batch is a heartbeat.
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

/** Errors that a retry cannot fix. */
const LASTING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "unauthenticated",
  "forbidden",
  "workspace-forbidden",
  "not-found",
  "session-not-found",
  "invalid-request",
  "protocol-violation",
]);
