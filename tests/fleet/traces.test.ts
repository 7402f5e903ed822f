import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GatewayProcess } from "../clients/gateway-process.ts";
import { type ReceivedSpan, startTraceReceiver, type TraceReceiver } from "../turns/trace-receiver.ts";
import { FleetHome, type WorkerProcess } from "./fleet-home.ts";

const clientSpan = "00f067aa0ba902b7";
let fleet: FleetHome;
let receiver: TraceReceiver;
let gateway: GatewayProcess;
let worker: WorkerProcess;

beforeAll(async () => {
  receiver = await startTraceReceiver();
  fleet = await FleetHome.open();
  const env = { CARET_TELEMETRY_OTLP_ENDPOINT: receiver.endpoint };
  worker = await fleet.worker("worker", env);
  gateway = await fleet.gateway("gateway", env);
});
afterAll(async () => {
  await fleet.remove();
  receiver.close();
});

function post(path: string, trace: string, body: object): Promise<Response> {
  const traceparent = `00-${trace}-${clientSpan}-01`;
  const headers = { authorization: `Bearer ${gateway.token}`, "content-type": "application/json", traceparent };
  return fetch(new URL(path, gateway.url), { method: "POST", headers, body: JSON.stringify(body) });
}

/** Resolves with the spans of a trace when there are so many. */
async function spansOf(trace: string, count: number): Promise<readonly ReceivedSpan[]> {
  const found = () => receiver.spans().filter(({ traceId }) => traceId === trace);
  await expect.poll(() => found().length, { timeout: 20_000 }).toBe(count);
  return found();
}

/** Each span by its process, its own name and its parent's. */
function shape(spans: readonly ReceivedSpan[]): readonly string[] {
  const nameOf = (id: string | undefined) => spans.find(({ spanId }) => spanId === id)?.name ?? id;
  return spans.map(({ service, name, parentSpanId }) => `${service}: ${name} < ${nameOf(parentSpanId)}`).sort();
}

describe("a turn of a fleet is one trace over the gateway and the worker", () => {
  it("at a stateless door", async () => {
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const body = { model: "auto", messages: [{ role: "user", content: "a secret question" }] };
    expect((await post("/v1/chat/completions", trace, body)).status).toBe(200);
    const request = "POST /v1/chat/completions";
    expect(shape(await spansOf(trace, 4))).toEqual([
      `caret-gateway: ${request} < ${clientSpan}`,
      "caret-worker: lane attempt < turn",
      `caret-worker: queue wait < ${request}`,
      `caret-worker: turn < ${request}`,
    ]);
  });

  it("at the native door", async () => {
    const trace = "0af7651916cd43dd8448eb211c80319c";
    const client = fleet.client(gateway);
    const session = await client.createSession({ workspace: fleet.home.workspace, permission: "full" });
    expect((await post(`/api/sessions/${session.id}/turns`, trace, { prompt: "a secret question" })).status).toBe(202);
    const request = "POST /api/sessions/:id/turns";
    expect(shape(await spansOf(trace, 4))).toEqual([
      `caret-gateway: ${request} < ${clientSpan}`,
      "caret-worker: lane attempt < turn",
      `caret-worker: queue wait < ${request}`,
      `caret-worker: turn < ${request}`,
    ]);
  });

  it("that says nothing of what was asked, nor where", async () => {
    worker.kill("SIGTERM");
    await Promise.all([worker.exited, gateway.stop()]);
    const posted = receiver.posted.join("\n");
    expect(["secret", fleet.home.directory, gateway.token].filter((word) => posted.includes(word))).toEqual([]);
  });
});
