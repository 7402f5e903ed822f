import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterEach, describe, expect, it } from "vitest";
import { GatewayHome } from "../clients/gateway-home.ts";
import { type GatewayProcess, startGateway } from "../clients/gateway-process.ts";
import { startTraceReceiver, type TraceReceiver } from "./trace-receiver.ts";

const clientTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const clientSpan = "00f067aa0ba902b7";
const key = "the-key-of-the-receiver";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function setUp(how: { readonly isSilent?: boolean } = {}) {
  const receiver = await startTraceReceiver(how);
  closing.push(receiver.close);
  const home = new GatewayHome({ turns: [{ steps: [{ text: "a secret answer" }] }] });
  closing.push(() => home.remove());
  const env = {
    CARET_TELEMETRY_OTLP_ENDPOINT: receiver.endpoint,
    CARET_TELEMETRY_OTLP_HEADERS: JSON.stringify({ "x-key": key }),
  };
  const gateway = await startGateway(home, { env });
  closing.push(gateway.stop);
  return { receiver, home, gateway };
}

async function ask({ url, token }: GatewayProcess, traceparent: string, prompt = "a secret question") {
  const response = await fetch(new URL("/v1/chat/completions", url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", traceparent },
    body: JSON.stringify({ model: "auto", messages: [{ role: "user", content: prompt }] }),
  });
  await response.text();
  return response.status;
}

async function droppedBy({ url, token }: GatewayProcess): Promise<number> {
  const metrics = await fetch(new URL("/metrics", url), { headers: { authorization: `Bearer ${token}` } });
  return Number(/^caret_spans_dropped_total (\d+)$/m.exec(await metrics.text())?.[1]);
}

/** Each span with the names of its parents, as far as they are known. */
function tree({ spans }: TraceReceiver): readonly string[] {
  const all = spans();
  const pathOf = (id: string | undefined): string => {
    const found = all.find(({ spanId }) => spanId === id);
    return found === undefined ? (id ?? "") : `${pathOf(found.parentSpanId)} > ${found.name}`;
  };
  return all.map(({ spanId }) => pathOf(spanId)).sort();
}

describe("a gateway with an endpoint for traces", () => {
  it("sends the spans of a turn, as parts of the client's trace and without what was said", async () => {
    const { receiver, home, gateway } = await setUp();
    expect(await ask(gateway, `00-${clientTrace}-${clientSpan}-01`)).toBe(200);
    expect((await gateway.stop()).code).toBe(0);
    const request = `${clientSpan} > POST /v1/chat/completions`;
    expect(tree(receiver)).toEqual([request, `${request} > turn`, `${request} > turn > lane attempt`]);
    const spans = receiver.spans();
    const about = (name: string) => spans.find((span) => span.name === name);
    expect(new Set(spans.map(({ traceId, service }) => `${service} ${traceId}`))).toEqual(
      new Set([`caret-gateway ${clientTrace}`]),
    );
    expect(about("POST /v1/chat/completions")?.attributes).toEqual({
      "http.request.method": "POST",
      "http.route": "/v1/chat/completions",
      "caret.door": "openai",
      "http.response.status_code": "200",
    });
    expect(about("turn")).toMatchObject({
      events: ["first token"],
      attributes: { "caret.lane": "sim", "caret.model": "auto", "caret.outcome": "completed" },
    });
    expect(Number(about("turn")?.attributes["caret.log.appends"])).toBeGreaterThan(0);
    expect(about("lane attempt")?.attributes).toEqual({ "caret.lane": "sim", "caret.outcome": "completed" });
    const posted = receiver.posted.join("\n");
    expect(receiver.posted.every((line) => line.startsWith(`/v1/traces ${key} {`))).toBe(true);
    const secrets = ["secret", home.directory, gateway.token];
    expect(secrets.filter((secret) => posted.includes(secret))).toEqual([]);
  });

  it("begins a new trace where the client's is not valid, and records nothing of one that is not to be", async () => {
    const { receiver, gateway } = await setUp();
    await ask(gateway, `00-${clientTrace}-${clientSpan}-00`, "not recorded");
    await ask(gateway, `00-${clientTrace}-0000000000000000-01`, "another one");
    await gateway.stop();
    const spans = receiver.spans();
    expect(tree(receiver)).toEqual([
      " > POST /v1/chat/completions",
      " > POST /v1/chat/completions > turn",
      " > POST /v1/chat/completions > turn > lane attempt",
    ]);
    expect([new Set(spans.map(({ traceId }) => traceId)).size, spans[0]?.traceId === clientTrace]).toEqual([1, false]);
  });

  it("answers while the receiver is down, and says in its metrics how many spans were lost", async () => {
    const { receiver, gateway } = await setUp();
    receiver.close();
    expect(await ask(gateway, "")).toBe(200);
    // The request, the turn and its attempt; the requests for metrics are lost later.
    await expect.poll(() => droppedBy(gateway), { timeout: 20_000, interval: 200 }).toBeGreaterThanOrEqual(3);
  });

  it.runIf(isFullRun())("answers while the receiver does not, and ends in time all the same", async () => {
    const { receiver, gateway } = await setUp({ isSilent: true });
    await ask(gateway, "", "the first");
    await expect.poll(() => receiver.posted.length, { timeout: 10_000 }).toBe(1);
    expect(await ask(gateway, "", "the second")).toBe(200);
    expect(await gateway.stop()).toEqual({ code: 0, signal: null });
    expect(gateway.stderr()).toContain("Traces could not be delivered within 2000 ms of the end");
  });
});
