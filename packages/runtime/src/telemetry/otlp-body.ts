import type { SpanAttributes } from "@caret/protocol";
import type { FinishedSpan } from "./create-tracer.ts";

/** OTLP's numbers. */
const KINDS = { internal: 1, server: 2 } as const;
const STATUS_ERROR = 2;
const MICROSECONDS_PER_MS = 1000;

/** Resource attributes of every span of this process. */
export interface TracedProcess {
  readonly service: string;
  readonly version: string;
  /** Unique to this process. */
  readonly instance: string;
}

/** The body of an `ExportTraceServiceRequest` in OTLP's JSON: ids in hexadecimal, 64-bit numbers as strings. */
export function otlpBody(spans: readonly FinishedSpan[], { service, version, instance }: TracedProcess): object {
  const resource = { "service.name": service, "service.version": version, "service.instance.id": instance };
  const scopeSpans = [{ scope: { name: "caret", version }, spans: spans.map(toOtlpSpan) }];
  return { resourceSpans: [{ resource: { attributes: toKeyValues(resource) }, scopeSpans }] };
}

function toOtlpSpan({ parentId, kind, startedAt, endedAt, attributes, events, isFailed, ...span }: FinishedSpan) {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    name: span.name,
    kind: KINDS[kind],
    startTimeUnixNano: toNanoseconds(startedAt),
    endTimeUnixNano: toNanoseconds(endedAt),
    attributes: toKeyValues(attributes),
    events: events.map(({ name, at, attributes: about }) => ({
      timeUnixNano: toNanoseconds(at),
      name,
      attributes: toKeyValues(about),
    })),
    status: isFailed ? { code: STATUS_ERROR } : {},
  };
}

function toKeyValues(attributes: SpanAttributes): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toAnyValue(value) }));
}

function toAnyValue(value: string | number | boolean): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Via microseconds: nanoseconds since the epoch exceed what a number holds exactly. */
function toNanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * MICROSECONDS_PER_MS)) * 1000n);
}
