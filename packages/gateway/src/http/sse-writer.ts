import type { OutgoingHttpHeader, ServerResponse } from "node:http";
import type { StreamMeter } from "./request-context.ts";
import { type StreamedBody, streamedBody } from "./streamed-body.ts";

const DEFAULT_STUCK_MS = 30_000;
const DEFAULT_END_GRACE_MS = 1000;
const KEEP_ALIVE = ": keep-alive\n\n";

const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  // A proxy that transforms or buffers would hold back the tokens.
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** The part of Fastify's reply that a stream needs. */
export interface SseReply {
  readonly raw: ServerResponse;
  hijack(): unknown;
  getHeaders(): Readonly<Record<string, OutgoingHttpHeader | undefined>>;
}

export interface SseOptions {
  /** Aborts when the server ends the stream early: the door then writes a proper end. */
  readonly signal: AbortSignal;
  readonly keepAliveMs: number;
  /** Sent during silence: a whole SSE comment or event. */
  readonly keepAlive?: string | undefined;
  /** How long a client may read nothing before it is disconnected. */
  readonly stuckMs?: number;
  /** How long the door may take to write its end once `signal` has aborted. */
  readonly endGraceMs?: number;
  readonly meter?: StreamMeter | undefined;
}

/**
 * A response written as it happens.
 *
 * - `write` takes whole SSE events. If it returns a promise, await it: the reader is slower than the writer. It never throws; writes after
 *   the client has gone are dropped, so a loop only has to check `signal`.
 * - `signal` fires when the client is gone, when it was cut, or when the server wants the stream to end. In the last case writing still
 *   works, so the door can say goodbye in its own format.
 * - `end` must always be called; calling it twice is fine.
 */
export interface SseWriter {
  write(text: string): Promise<void> | void;
  /** The reader is slower than the writer: a promise of `write` is not settled. */
  readonly isFull: boolean;
  end(): void;
  readonly signal: AbortSignal;
}

/** Takes the response over from Fastify, flushes the headers and sends keep-alives. */
export function openSse(reply: SseReply, options: SseOptions): SseWriter {
  const { raw } = reply;
  const { socket } = raw;
  reply.hijack();
  // Sends the head together with what is written in the same tick.
  socket?.cork();
  raw.writeHead(200, { ...reply.getHeaders(), ...STREAM_HEADERS });
  raw.flushHeaders();
  if (socket !== null) process.nextTick(() => socket.uncork());
  return createWriter(raw, options);
}

function createWriter(raw: ServerResponse, options: SseOptions): SseWriter {
  const { keepAliveMs, meter, keepAlive = KEEP_ALIVE } = options;
  const gone = new AbortController();
  const body = streamedBody(raw);
  const watch = watchReader(raw, body, options, gone);
  let ended = false;

  /** Nothing was written since the timer last checked. It checks twice per `keepAliveMs`, so writes need not restart it. */
  let isSilent = false;
  const silence = setInterval(() => {
    if (isSilent && !body.needsDrain) send(keepAlive);
    else isSilent = true;
  }, keepAliveMs / 2);
  silence.unref();

  function send(text: string): boolean {
    isSilent = false;
    const bytes = Buffer.byteLength(text);
    meter?.wrote(bytes);
    return body.write(text, bytes);
  }

  meter?.opened();
  onceClosed(raw, () => {
    ended = true;
    clearInterval(silence);
    meter?.closed();
  });

  return {
    signal: gone.signal,
    get isFull() {
      return watch.isWaiting;
    },
    write(text) {
      if (ended || raw.destroyed || text === "") return undefined;
      return send(text) ? undefined : watch.drained();
    },
    end() {
      if (ended) return;
      ended = true;
      clearInterval(silence);
      raw.end();
      watch.ending();
    },
  };
}

/** A door that waited before it opened the stream may have missed the event. */
function onceClosed(raw: ServerResponse, listener: () => void): void {
  if (raw.destroyed) listener();
  else raw.once("close", listener);
}

/** Notices when the reader leaves, disconnects a stuck one, and forwards the server's abort. */
function watchReader(raw: ServerResponse, body: StreamedBody, options: SseOptions, gone: AbortController) {
  const { signal, endGraceMs = DEFAULT_END_GRACE_MS, meter } = options;
  const stuckMs = options.stuckMs ?? meter?.stuckMs ?? DEFAULT_STUCK_MS;
  let stuck: NodeJS.Timeout | undefined;
  let grace: NodeJS.Timeout | undefined;
  let release: (() => void) | undefined;
  let waiting: Promise<void> | undefined;

  function cut(reason: string): void {
    meter?.cut();
    gone.abort(new DOMException(reason, "AbortError"));
    raw.destroy();
  }

  function cutAfter(ms: number, reason: string): NodeJS.Timeout {
    return setTimeout(cut, ms, reason).unref();
  }

  function resume(): void {
    clearTimeout(stuck);
    release?.();
    waiting = undefined;
  }

  function stop(): void {
    gone.abort(signal.reason);
    grace = cutAfter(endGraceMs, "The stream did not end in time");
  }

  body.onDrain(resume);
  // A connection reset also emits `close`, which is handled below.
  raw.on("error", () => {});
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  onceClosed(raw, () => {
    signal.removeEventListener("abort", stop);
    clearTimeout(grace);
    resume();
    // A reader that got everything is not reported as gone.
    if (!raw.writableFinished) gone.abort(new DOMException("The client has gone", "AbortError"));
  });

  return {
    get isWaiting(): boolean {
      return waiting !== undefined;
    },
    /** Resolves on drain or close. */
    drained(): Promise<void> {
      waiting ??= new Promise((resolve) => {
        release = resolve;
        stuck = cutAfter(stuckMs, "The client does not read");
      });
      return waiting;
    },
    ending(): void {
      clearTimeout(stuck);
      if (!raw.destroyed) stuck = cutAfter(stuckMs, "The client does not read");
    },
  };
}
