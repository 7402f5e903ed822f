import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type CaretError, type Secret, type Tracer, trimEndOf } from "@caret/protocol";

const LIMITS = { totalMs: 10_000, maxBytes: 64 * 1024 };

export interface TracingOptions {
  /** Base URL of an OTLP/HTTP receiver; `/v1/traces` is appended. Chosen by the user, and trusted. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, Secret>>;
  /** Fraction of the traces starting here that are recorded, 0 to 1. */
  readonly sampleRatio: number;
  readonly service: "caret-gateway" | "caret-worker";
  readonly version: string;
  /** Called with the number of undelivered spans. */
  readonly onDropped: (count: number) => void;
  readonly onError: (error: CaretError) => void;
}

export interface Tracing {
  readonly tracer: Tracer;
  /** Delivers pending spans, for at most two seconds. */
  close(): Promise<void>;
}

/** Exports this process's traces. Its code is loaded only here: most gateways trace nothing. */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const { createOutboundFetch } = await import("../tools/web/outbound-fetch.ts");
  const { createOtlpExporter } = await import("./otlp-exporter.ts");
  const { createTracer } = await import("./create-tracer.ts");
  const { endpoint, headers, sampleRatio, service, version, onDropped, onError } = options;
  const url = new URL(endpoint);
  url.pathname = `${trimEndOf(url.pathname, "/")}/v1/traces`;
  const exporter = createOtlpExporter({
    url: url.href,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()])),
    fetch: createOutboundFetch({ trustedOrigins: [url.origin], limits: LIMITS }),
    process: { service, version, instance: randomUUID() },
    pause: (ms, signal) => pause(ms, undefined, { signal }),
    onDropped,
    onError,
  });
  const tracer = createTracer({
    take: exporter.add,
    sampleRatio,
    randomHex: (bytes) => randomBytes(bytes).toString("hex"),
    random: Math.random,
    wallClock: Date.now,
    monotonic: () => performance.now(),
  });
  return { tracer, close: exporter.close };
}
