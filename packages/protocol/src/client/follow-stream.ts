import { CaretError } from "../errors/caret-error.ts";
import type { ErrorCode } from "../errors/error-catalogue.ts";
import { type NativeClientOptions, toReachError, waitFor } from "./native-wire.ts";
import type { SseMessage } from "./sse-connection.ts";

export type StreamState = "open" | "reconnecting";

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Called when the connection is open, and when it is lost with the reason. */
  readonly onState?: (state: StreamState, reason?: CaretError) => void;
}

/** What one read of a connection brought, possibly nothing but a sign of life; `undefined` that it is open. */
export type StreamBatch = readonly SseMessage[] | undefined;

/** `retryNow` dispatches `now` when a waiting stream should make its next attempt. */
type FollowingOptions = NativeClientOptions & { readonly retryNow: EventTarget };

const FIRST_WAIT_MS = 300;
/** A gateway that is back is found this soon; pages say so. */
export const LONGEST_WAIT_MS = 2000;

/**
 * The messages of one of the gateway's streams, over as many connections as it takes: `undefined` says that one was
 * opened. Waits longer after each failure, by chance more or less, so that many pages do not return at once. Ends by the
 * signal; rejects when trying again would not help, since the token was revoked, for instance, or the session deleted.
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

/** Returns why the connection is over. */
async function* readUntilLost(
  batches: AsyncIterable<StreamBatch>,
  progress: { failures: number },
  onState: FollowOptions["onState"],
): AsyncGenerator<StreamBatch, CaretError> {
  try {
    for await (const batch of batches) {
      if (batch === undefined) onState?.("open");
      else progress.failures = 0;
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
