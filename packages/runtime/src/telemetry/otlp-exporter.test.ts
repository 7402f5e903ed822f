import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createOutboundFetch } from "../tools/web/outbound-fetch.ts";
import type { FinishedSpan } from "./create-tracer.ts";
import { createOtlpExporter } from "./otlp-exporter.ts";

/** How many spans came with each request, and by which key. */
let got: [count: number, key: string | undefined][];
let statuses: number[];
let server: Server;
let origin: string;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    if (request.method === "GET") return void response.end("{}");
    const body = (await json(request)) as { resourceSpans: [{ scopeSpans: [{ spans: unknown[] }] }] };
    got.push([body.resourceSpans[0].scopeSpans[0].spans.length, request.headers.authorization]);
    response.writeHead(statuses.shift() ?? 200, { location: "/elsewhere" }).end("{}");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  got = [];
  statuses = [];
});

function open(url = `${origin}/v1/traces`) {
  const seen = { dropped: 0, errors: [] as string[], pauses: [] as number[] };
  const exporter = createOtlpExporter({
    url,
    headers: { authorization: "Bearer key" },
    fetch: createOutboundFetch({ trustedOrigins: [new URL(url).origin] }),
    process: { service: "caret-gateway", version: "1", instance: "i" },
    pause: async (ms) => void seen.pauses.push(ms),
    onDropped: (count) => {
      seen.dropped += count;
    },
    onError: ({ message }) => seen.errors.push(message),
  });
  const add = (count: number): void => {
    for (let made = 0; made < count; made += 1) exporter.add(span);
  };
  return { ...exporter, add, seen };
}

const span: FinishedSpan = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b7",
  parentId: undefined,
  name: "turn",
  kind: "internal",
  startedAt: 0,
  endedAt: 1,
  attributes: {},
  events: [],
  isFailed: false,
};

describe("the exporter", () => {
  it("posts what waits in batches of 512, with its headers, when it is closed", async () => {
    const { add, close, seen } = open();
    add(600);
    await close();
    expect([got, seen]).toEqual([
      [
        [512, "Bearer key"],
        [88, "Bearer key"],
      ],
      { dropped: 0, errors: [], pauses: [] },
    ]);
  });

  it("posts a batch that is full without waiting for anything", async () => {
    const { add, close } = open();
    add(512);
    await expect.poll(() => got).toEqual([[512, "Bearer key"]]);
    await close();
  });

  it.each([429, 503])("sends a batch once more that was answered with %i", async (status) => {
    statuses = [status];
    const { add, close, seen } = open();
    add(2);
    await close();
    expect([got.length, seen]).toEqual([2, { dropped: 0, errors: [], pauses: [1000] }]);
  });

  it("drops a batch that was refused, or failed twice, and reports the first of several failures", async () => {
    statuses = [400, 503, 503];
    const { add, close, seen } = open();
    add(513);
    await close();
    expect([got.map(([count]) => count), seen]).toEqual([
      [512, 1, 1],
      { dropped: 513, errors: ["The receiver of traces answered with status 400"], pauses: [1000] },
    ]);
  });

  it("does not take a redirect for a delivery", async () => {
    statuses = [302];
    const { add, close, seen } = open();
    add(1);
    await close();
    const errors = ["The address of the receiver of traces redirects elsewhere"];
    expect([got.length, seen]).toEqual([1, { dropped: 1, errors, pauses: [] }]);
  });

  it("says which receiver it is that cannot be reached", async () => {
    const { add, close, seen } = open("http://127.0.0.1:9/v1/traces");
    add(1);
    await close();
    expect(seen).toEqual({
      dropped: 1,
      errors: ["The receiver of traces cannot be reached: The address could not be fetched (ECONNREFUSED)"],
      pauses: seen.pauses,
    });
  });

  it("holds 2048 spans besides the batch under way, and drops and counts those that find no room", async () => {
    const { add, close, seen } = open();
    add(512 + 2048 + 7);
    expect(seen.dropped).toBe(7);
    await close();
    expect([got.map(([count]) => count), seen.dropped]).toEqual([[512, 512, 512, 512, 512], 7]);
  });

  it("closes within two seconds where the receiver accepts and never answers", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
    const { add, close, seen } = open(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1/traces`);
    add(3);
    await close();
    silent.closeAllConnections();
    silent.close();
    expect(seen).toEqual({
      dropped: 3,
      errors: ["Traces could not be delivered within 2000 ms of the end"],
      pauses: [],
    });
  });
});
