import { CaretError } from "@caret/protocol";
import type { OutboundFetch } from "../tools/web/outbound-fetch.ts";
import type { FinishedSpan } from "./create-tracer.ts";
import { otlpBody, type TracedProcess } from "./otlp-body.ts";

const BATCH_SPANS = 512;
const BATCH_MS = 2_000;
const MAX_WAITING = 2_048;
const RETRY_MS = 1_000;
const CLOSE_MS = 2_000;

export interface OtlpExporterOptions {
  /** Where traces are posted. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: OutboundFetch;
  readonly process: TracedProcess;
  /** Waits before the second attempt. Rejects when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Called with the number of spans that could not and will not be delivered. */
  readonly onDropped: (count: number) => void;
  /** Called when deliveries start to fail; again only after one has succeeded. */
  readonly onError: (error: CaretError) => void;
}

export interface OtlpExporter {
  /** Never waits. If there is no room, the span is dropped. */
  add(span: FinishedSpan): void;
  /** Delivers pending spans, for at most two seconds. */
  close(): Promise<void>;
}

/** Posts spans in batches, one request at a time, independently of turns: none of them waits for it or fails because of it. */
export function createOtlpExporter(options: OtlpExporterOptions): OtlpExporter {
  const { onDropped, onError } = options;
  const closing = new AbortController();
  let waiting: FinishedSpan[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let isFailing = false;

  const deliver = async (batch: readonly FinishedSpan[]): Promise<void> => {
    try {
      await post(options, JSON.stringify(otlpBody(batch, options.process)), closing.signal);
      isFailing = false;
    } catch (reason) {
      onDropped(batch.length);
      if (!isFailing) onError(CaretError.from(reason));
      isFailing = true;
    }
  };
  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_SPANS);
      waiting = waiting.slice(BATCH_SPANS);
      await deliver(batch);
    }
  };
  const send = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendAll().finally(() => {
      sending = undefined;
      // One may have been added after the last check.
      if (waiting.length > 0) sendLater();
    });
    return sending;
  };
  const sendLater = (): void => {
    timer ??= setTimeout(() => void send(), BATCH_MS).unref();
  };

  return {
    add(span) {
      if (waiting.length >= MAX_WAITING) return onDropped(1);
      waiting.push(span);
      if (waiting.length >= BATCH_SPANS) void send();
      else if (sending === undefined) sendLater();
    },
    async close() {
      const limit = setTimeout(() => closing.abort(tooLate()), CLOSE_MS);
      await send();
      clearTimeout(limit);
    },
  };
}

function tooLate(): CaretError {
  return new CaretError("timed-out", `Traces could not be delivered within ${CLOSE_MS} ms of the end`, {
    fix: "Check telemetry.otlp.endpoint, and what receives it.",
  });
}

/** Tries once, and again if the receiver may then accept it. */
async function post(options: OtlpExporterOptions, body: string, signal: AbortSignal): Promise<void> {
  try {
    await attempt(options, body, signal);
  } catch (reason) {
    signal.throwIfAborted();
    if (!CaretError.from(reason).retryable) throw reason;
    await options.pause(RETRY_MS, signal);
    await attempt(options, body, signal);
  }
}

async function attempt({ url, headers, fetch }: OtlpExporterOptions, body: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const sent = { ...headers, "content-type": "application/json", accept: "application/json" };
  const answering = fetch({ url, method: "POST", headers: sent, body, signal });
  const { status, url: answeredAt } = await answering.catch((reason: unknown) => {
    signal.throwIfAborted();
    throw unreachable(CaretError.from(reason));
  });
  // A redirected POST arrives as a GET without its body, if at all.
  if (answeredAt.href !== new URL(url).href)
    throw new CaretError("upstream-error", "The address of the receiver of traces redirects elsewhere", {
      fix: "Set telemetry.otlp.endpoint to the address that it redirects to.",
      retryable: false,
    });
  if (status >= 200 && status < 300) return;
  throw new CaretError("upstream-error", `The receiver of traces answered with status ${status}`, {
    fix: "Check telemetry.otlp.endpoint and telemetry.otlp.headers, and what receives it.",
    retryable: status === 429 || status >= 500,
  });
}

function unreachable({ code, message, retryable, cause }: CaretError): CaretError {
  return new CaretError(code, `The receiver of traces cannot be reached: ${message}`, {
    cause,
    fix: "Check telemetry.otlp.endpoint, and what receives it.",
    retryable,
  });
}
