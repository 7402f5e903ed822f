import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A span as a receiver reads it. */
export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface SentSpan extends Pick<ReceivedSpan, "traceId" | "spanId" | "parentSpanId" | "name"> {
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly events: readonly { readonly name: string }[];
}

interface SentBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

export interface TraceReceiver {
  readonly endpoint: string;
  /** Everything that was posted, as it came: path, key and body. */
  readonly posted: readonly string[];
  spans(): readonly ReceivedSpan[];
  close(): void;
}

/** A receiver of OTLP over HTTP; one that is `silent` takes requests and never answers them. */
export async function startTraceReceiver({ isSilent = false } = {}): Promise<TraceReceiver> {
  const posted: string[] = [];
  const bodies: SentBody[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    posted.push(`${request.url} ${request.headers["x-key"]} ${body}`);
    bodies.push(JSON.parse(body) as SentBody);
    if (!isSilent) response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posted,
    spans: () => bodies.flatMap(spansOf),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function spansOf({ resourceSpans }: SentBody): readonly ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ startTimeUnixNano, endTimeUnixNano, attributes, events, ...span }) => ({
        service: String(valuesOf(resource.attributes)["service.name"]),
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        name: span.name,
        startMs: Number(startTimeUnixNano) / 1e6,
        endMs: Number(endTimeUnixNano) / 1e6,
        attributes: valuesOf(attributes),
        events: events.map(({ name }) => name),
      })),
    ),
  );
}

function valuesOf(attributes: readonly KeyValue[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
