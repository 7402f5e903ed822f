/** What a span can contain. Never a prompt, an answer, a path, a token or another secret: spans go unredacted to a third party. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** The parent's W3C `traceparent`. If absent or invalid, the span starts its own trace. */
  readonly parent?: string | undefined;
  /** `server`: the span answers another process's request. If absent, it is internal work. */
  readonly kind?: "server";
  /** Milliseconds since the epoch. Default: now. */
  readonly startedAt?: number;
  readonly attributes?: SpanAttributes;
}

/** A timed operation. Spans dropped by sampling still have a `traceparent`, so their children know. */
export interface TraceSpan {
  readonly traceparent: string;
  set(attributes: SpanAttributes): void;
  /** Records that something happened at this moment. */
  event(name: string, attributes?: SpanAttributes): void;
  /** Only the first call counts. Does not throw or wait. */
  end(how?: { readonly isFailed: boolean }): void;
}

/** Creates spans. Wherever a tracer is optional and absent, tracing is off and costs nothing. */
export interface Tracer {
  start(name: string, options?: SpanOptions): TraceSpan;
}
