import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fromBinary } from "@bufbuild/protobuf";
import { ErrorDetails_Error, ErrorDetailsSchema } from "@caret/protocol/agent-api/errors";
import { Code, type ConnectError } from "@connectrpc/connect";
import { afterEach, describe, expect, it } from "vitest";
import type { ScenarioInput } from "../scenario/scenario.ts";
import type { StepInput } from "../scenario/step-shapes.ts";
import { createSelfSigned } from "./net/self-signed.ts";
import { ask, RunClient, type RunClientOptions, resume } from "./testing/run-client.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

type Wire = Extract<StepInput, { wire: unknown }>["wire"];

const open: Upstream[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((upstream) => upstream.close()));
});

async function start(scenario: ScenarioInput, tls?: ReturnType<typeof createSelfSigned>): Promise<Upstream> {
  const upstream = await startUpstream({ scenario, ...(tls === undefined ? {} : { tls }) });
  open.push(upstream);
  return upstream;
}

const clientOf = ({ url }: Upstream, options: Partial<RunClientOptions> = {}) =>
  new RunClient({ url, httpVersion: "2", ...options });

/** What a client of the run sees: its text, and the error that ended it. */
async function play(steps: readonly StepInput[], httpVersion: "1.1" | "2" = "2"): Promise<readonly string[]> {
  const upstream = await start({ turns: [steps] });
  const { text, error } = await clientOf(upstream, { httpVersion }).run(ask("hi"));
  return [text, describeError(error)];
}

function describeError(error: ConnectError | undefined): string {
  return error === undefined ? "" : `${Code[error.code]}: ${error.rawMessage}`;
}

const cut = "protocol error: missing EndStreamResponse";
const ends: readonly (readonly [Wire, string])[] = [
  [{ error: { code: "unavailable", message: "busy" } }, "Unavailable: busy"],
  [{ reset: "REFUSED_STREAM" }, "Internal: Stream closed with error code NGHTTP2_REFUSED_STREAM"],
  [{ reset: "CANCEL" }, "Canceled: http/2 stream closed with error code CANCEL (0x8)"],
  [{ reset: "INTERNAL_ERROR" }, "Internal: Stream closed with error code NGHTTP2_INTERNAL_ERROR"],
  [{ reset: "ENHANCE_YOUR_CALM" }, "Internal: Stream closed with error code NGHTTP2_ENHANCE_YOUR_CALM"],
  [{ destroy: true }, "Canceled: http/2 stream closed with error code CANCEL (0x8)"],
  [{ end: true }, `InvalidArgument: ${cut}`],
  [{ trailers: { "grpc-status": "14", "grpc-message": "busy" } }, `InvalidArgument: ${cut}`],
  [{ truncate: 3 }, "InvalidArgument: protocol error: incomplete envelope"],
  [{ truncate: 9 }, "InvalidArgument: protocol error: incomplete envelope"],
  [{ message: "//8=" }, "Internal: parse binary: premature EOF"],
  [{ unnegotiated: true }, "Internal: received compressed envelope, but do not know how to decompress"],
];

describe("a fault that ends the run", () => {
  it.each(ends)("%j, before anything was said: %s", async (wire, error) => {
    expect(await play([{ wire }, { text: "tail" }])).toEqual(["", error]);
  });

  it.each(ends)("%j, after text: %s", async (wire, error) => {
    expect(await play([{ text: "head" }, { wire }, { text: "tail" }])).toEqual(["head", error]);
  });

  it.each([
    [{ status: 401 }, "Unauthenticated: HTTP 401"],
    [{ status: 402 }, "Unknown: HTTP 402"],
    [{ status: 429, headers: { "retry-after": "99999" } }, "Unavailable: HTTP 429"],
    [{ status: 503, headers: { "content-type": "text/html" }, body: "<h1>Busy</h1>" }, "Unavailable: HTTP 503"],
    [{ status: 307, headers: { location: "http://127.0.0.1:1/" } }, "Unknown: HTTP 307"],
    [
      { status: 200, headers: { "x-long": "y".repeat(70_000) } },
      "Internal: Stream closed with error code NGHTTP2_FRAME_SIZE_ERROR",
    ],
    [{ goaway: "ENHANCE_YOUR_CALM" }, "Internal: Session closed with error code 11"],
    [{ goaway: "NO_ERROR", lastStreamId: 0 }, "Internal: Stream closed with error code NGHTTP2_REFUSED_STREAM"],
    [{ continuation: 50 }, "Internal: Too many CONTINUATION frames following a HEADER frame"],
  ] satisfies readonly (readonly [Wire, string])[])("%j, in the place of an answer: %s", async (wire, error) => {
    expect(await play([{ wire }, { text: "tail" }])).toEqual(["", error]);
  });

  it.each([
    [{ fail: "usage-limit" }, "ResourceExhausted: Error"],
    [{ fail: "unavailable" }, "Unavailable: HTTP 503"],
    [{ fail: "network" }, "Canceled: http/2 stream closed with error code CANCEL (0x8)"],
    [{ exit: 1 }, "Canceled: http/2 stream closed with error code CANCEL (0x8)"],
    [{ closeStdout: true }, `InvalidArgument: ${cut}`],
    [{ halfLine: "never finished" }, "InvalidArgument: protocol error: incomplete envelope"],
    [{ result: { isError: true, text: "It broke" } }, "Internal: It broke"],
    [{ invalidUtf8: true }, "Internal: parse binary: The encoded data was not valid for encoding utf-8"],
  ] satisfies readonly (readonly [StepInput, string])[])(
    "%j, a step that the CLI's simulator has too: %s",
    async (step, error) => {
      expect((await play([{ text: "head" }, step]))[1]).toBe(error);
    },
  );

  it("carries the details of an error", async () => {
    const detail = { error: "ERROR_FREE_USER_USAGE_LIMIT", title: "Limit.", detail: "Get more.", isRetryable: false };
    const upstream = await start({ turns: [[{ wire: { error: { code: "resource_exhausted", detail } } }]] });
    const { error } = await clientOf(upstream).run(ask("hi"));
    const [found] = (error?.details ?? []) as { readonly type: string; readonly value: Uint8Array }[];
    expect(found?.type).toBe("aiserver.v1.ErrorDetails");
    expect(fromBinary(ErrorDetailsSchema, found?.value ?? new Uint8Array())).toMatchObject({
      error: ErrorDetails_Error.FREE_USER_USAGE_LIMIT,
      details: { title: "Limit.", detail: "Get more.", isRetryable: false },
    });
  });

  it("ends an HTTP/1.1 run as well", async () => {
    const steps = (wire: Wire) => [{ text: "head" }, { wire }];
    expect(await play(steps({ end: true }), "1.1")).toEqual(["head", `InvalidArgument: ${cut}`]);
    expect((await play(steps({ reset: "CANCEL" }), "1.1"))[1]).toBe("Aborted: aborted");
    expect(await play([{ wire: { status: 503 } }], "1.1")).toEqual(["", "Unavailable: HTTP 503"]);
  });
});

describe("a fault that a run survives", () => {
  it.each([
    [{ header: { flags: 0, length: 0 } }, "headtail"],
    [{ header: { flags: 0x40, length: 0 } }, "headtail"],
    [{ chunkBytes: 1 }, "headtail"],
    [{ duplicate: 3 }, "headtailtailtail"],
    [{ goaway: "NO_ERROR" }, "headtail"],
    [{ settings: { maxConcurrentStreams: 0 } }, "headtail"],
    [{ silence: true }, "headtail"],
    [{ heartbeats: 3 }, "headtail"],
    [{ unknown: "exec" }, "headtail"],
    [{ unknown: "query" }, "headtail"],
    [{ unknown: "update" }, "headtail"],
    [{ unknown: "message" }, "headtail"],
    [{ exec: { computerUseArgs: { toolCallId: "c1" } } }, "headtail"],
  ] satisfies readonly (readonly [Wire, string])[])("%j gives %s", async (wire, text) => {
    expect(await play([{ text: "head" }, { wire }, { text: "tail" }])).toEqual([text, ""]);
  });

  it.each(["gzip", "br"] as const)("compresses by %s from the first frame on", async (compress) => {
    expect(await play([{ wire: { compress } }, { text: "tail" }])).toEqual(["tail", ""]);
  });

  it("says more after its end frame, which nobody reads", async () => {
    const [text, error] = await play([{ text: "head" }, { result: {} }, { text: "tail" }]);
    expect([text, error]).toEqual([
      "head",
      "InvalidArgument: protocol error: received extra message after EndStreamResponse",
    ]);
  });

  it("asks what the schema knows, and keeps the answer in its records", async () => {
    const upstream = await start({ turns: [[{ wire: { exec: { fetchArgs: { url: "http://a.example" } } } }]] });
    await clientOf(upstream).run(ask("hi"));
    expect(upstream.records.filter(({ event }) => event === "exec")).toEqual([
      {
        event: "exec",
        exec: { fetchArgs: { url: "http://a.example" } },
        answer: { kind: "thrown", error: "Not here" },
      },
    ]);
  });
});

describe("the next attempt of a run that was cut", () => {
  it("passes the fault when it begins again, and goes on after it when it resumes", async () => {
    const steps: StepInput[] = [
      { text: "a" },
      { wire: { checkpoint: true } },
      { wire: { destroy: true } },
      { text: "b" },
    ];
    const upstream = await start({ turns: [steps] });
    const client = clientOf(upstream);
    const first = await client.run({ ...ask("hi"), runId: "r1" });
    expect(first.text).toBe("a");
    expect((await clientOf(upstream).run({ ...ask("hi"), runId: "r1" })).text).toBe("ab");
    const again = clientOf(upstream);
    for (const [id, blob] of client.blobs) again.blobs.set(id, blob);
    expect((await again.run({ ...resume(first.checkpoint), runId: "r1" })).text).toBe("b");
  });

  it("is known by its conversation and turn where the client names no run", async () => {
    const steps: StepInput[] = [{ text: "a" }, { wire: { checkpoint: true } }, { wire: { end: true } }, { text: "b" }];
    const client = clientOf(await start({ turns: [steps] }));
    const first = await client.run(ask("hi"));
    expect([first.text, (await client.run(resume(first.checkpoint))).text]).toEqual(["a", "b"]);
  });

  it("is cut as often as the step says", async () => {
    const upstream = await start({ turns: [[{ wire: { status: 503, times: 2 } }, { text: "third" }]] });
    const seen = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { text, error } = await clientOf(upstream).run({ ...ask("hi"), runId: "r1" });
      seen.push(text || describeError(error));
    }
    expect(seen).toEqual(["Unavailable: HTTP 503", "Unavailable: HTTP 503", "third"]);
  });
});

describe("a fault of the connection", () => {
  it("freezes it: no PING is answered any more", async () => {
    const upstream = await start({ turns: [[{ text: "head" }, { wire: { freeze: true } }, { text: "tail" }]] });
    const session = connectHttp2(upstream.url);
    await once(session, "connect");
    const answered = () => new Promise<boolean>((resolve) => session.ping((error) => resolve(error === null)));
    expect(await answered()).toBe(true);
    void clientOf(upstream).run(ask("hi"));
    // That nothing comes takes a while to see; a PING on this machine is answered within a millisecond.
    const silent = () => Promise.race([answered().then(() => false), sleep(300).then(() => true)]);
    await expect.poll(silent).toBe(true);
    session.destroy();
  });

  it("resets it, or takes it and stays silent", async () => {
    const reset = await start({ upstream: { connections: "reset" } });
    expect((await clientOf(reset).run(ask("hi"))).error?.message).toMatch(/ECONNRESET|closed|hang up/);
    const blackhole = await start({ upstream: { connections: "blackhole" } });
    const socket = connect(blackhole.port, "127.0.0.1");
    const ended = new Promise((resolve) => socket.once("close", () => resolve("closed")));
    // That nothing comes takes a while to see.
    socket.write("GET / HTTP/1.1\r\n\r\n");
    expect(await Promise.race([ended, sleep(100).then(() => "silent")])).toBe("silent");
    socket.destroy();
  });

  it("offers HTTP/1.1 alone over TLS", async () => {
    const tls = createSelfSigned();
    const upstream = await start({ upstream: { alpn: ["http/1.1"] } }, tls);
    const { error } = await new RunClient({ url: upstream.secureUrl, httpVersion: "2", ca: tls.cert }).run(ask("hi"));
    expect(error?.message).toMatch(/ERR_HTTP2|protocol|closed|SSL|alert/i);
  });

  it("answers single calls with a fault, as often as the scenario says", async () => {
    const exchange = { status: 429, headers: { "retry-after": "1" }, body: "slow down", times: 1 };
    const upstream = await start({ upstream: { calls: { exchange_user_api_key: exchange } } });
    const call = () =>
      fetch(`${upstream.url}/auth/exchange_user_api_key`, {
        method: "POST",
        headers: { authorization: "Bearer key_1" },
      });
    const first = await call();
    expect([first.status, first.headers.get("retry-after"), await first.text()]).toEqual([429, "1", "slow down"]);
    expect((await call()).status).toBe(200);
  });
});
