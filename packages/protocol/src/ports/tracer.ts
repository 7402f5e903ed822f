/** What a span may say. Never a prompt, an answer, a path, a token or another secret: spans go to a third party as they are. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** The W3C `traceparent` of the parent. Absent or not valid: the span begins a trace of its own. */
  readonly parent?: string | undefined;
  /** `server`: it answers a request of another process. Absent: it is work inside of one. */
  readonly kind?: "server";
  /** Milliseconds since the epoch; absent: now. */
  readonly startedAt?: number;
  readonly attributes?: SpanAttributes;
}

/** Something that takes time. One that the sampling left out has a `traceparent` too, which says so to its children. */
export interface TraceSpan {
  readonly traceparent: string;
  set(attributes: SpanAttributes): void;
  /** Something happened at this moment. */
  event(name: string, attributes?: SpanAttributes): void;
  /** Only the first call counts. Must not throw, and waits for nothing. */
  end(how?: { readonly isFailed: boolean }): void;
}

/** Makes spans. Wherever one is optional and absent, nothing is traced and nothing is spent on it. */
export interface Tracer {
  start(name: string, options?: SpanOptions): TraceSpan;
}
