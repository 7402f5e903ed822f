import type { SpanAttributes, SpanOptions, Tracer, TraceSpan } from "@caret/protocol";
import { formatTraceparent, parseTraceparent, type TraceParent } from "./traceparent.ts";

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

export interface SpanEvent {
  readonly name: string;
  /** Milliseconds since the epoch, with fractions. */
  readonly at: number;
  readonly attributes: SpanAttributes;
}

/** A completed span. */
export interface FinishedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined for the root span of a trace. */
  readonly parentId: string | undefined;
  readonly name: string;
  readonly kind: "server" | "internal";
  /** Milliseconds since the epoch, with fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: SpanAttributes;
  readonly events: readonly SpanEvent[];
  readonly isFailed: boolean;
}

export interface TracerOptions {
  /** Receives each completed span. Must not throw. */
  readonly take: (span: FinishedSpan) => void;
  /** Fraction of the traces starting here that are recorded, 0 to 1. */
  readonly sampleRatio: number;
  /** Returns this many random bytes as hexadecimal digits. */
  readonly randomHex: (bytes: number) => string;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** Milliseconds since an arbitrary moment: a clock that is never adjusted. */
  readonly monotonic: () => number;
}

/** A parent's trace is recorded if the client says so; the ratio applies only to traces that start here. */
export function createTracer(options: TracerOptions): Tracer {
  const { sampleRatio, randomHex, random } = options;
  return {
    start(name, how = {}) {
      const parent = how.parent === undefined ? undefined : parseTraceparent(how.parent);
      const place: TraceParent = {
        traceId: parent?.traceId ?? randomHex(TRACE_ID_BYTES),
        spanId: randomHex(SPAN_ID_BYTES),
        isSampled: parent?.isSampled ?? random() < sampleRatio,
      };
      if (!place.isSampled) return unrecorded(formatTraceparent(place));
      return recordedSpan(options, { ...how, ...place, name, parentId: parent?.spanId });
    },
  };
}

function unrecorded(traceparent: string): TraceSpan {
  return { traceparent, set: nothing, event: nothing, end: nothing };
}

function nothing(): void {
  // Unsampled spans keep nothing.
}

type BegunSpan = SpanOptions & TraceParent & { readonly name: string; readonly parentId: string | undefined };

function recordedSpan({ take, wallClock, monotonic }: TracerOptions, begun: BegunSpan): TraceSpan {
  const { traceId, spanId, parentId, name, kind = "internal" } = begun;
  const now = wallClock();
  const since = monotonic();
  // The wall clock may be adjusted during the span: it is read only for the start.
  const at = (): number => now + (monotonic() - since);
  const startedAt = begun.startedAt ?? now;
  const events: SpanEvent[] = [];
  let attributes = begun.attributes ?? {};
  let isOver = false;
  return {
    traceparent: formatTraceparent(begun),
    set(more) {
      attributes = { ...attributes, ...more };
    },
    event(what, about = {}) {
      events.push({ name: what, at: at(), attributes: about });
    },
    end({ isFailed } = { isFailed: false }) {
      if (isOver) return;
      isOver = true;
      take({ traceId, spanId, parentId, name, kind, startedAt, endedAt: at(), attributes, events, isFailed });
    },
  };
}
