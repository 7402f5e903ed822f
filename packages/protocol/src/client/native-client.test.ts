import { describe, expect, it } from "vitest";
import type { EventEnvelope } from "../api/session-view.ts";
import { CaretError } from "../errors/caret-error.ts";
import { createNativeClient, type NativeClient } from "./native-client.ts";

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A gateway that sends prepared responses in order and records its requests. */
function scriptedGateway(...answers: readonly ((asked: Asked, init: RequestInit) => Response)[]) {
  const asked: Asked[] = [];
  const waits: number[] = [];
  const left = [...answers];
  const client = createNativeClient({
    baseUrl: "http://gateway/below/",
    headers: () => ({ "x-caret-page": "key" }),
    fetch: async (url, init = {}) => {
      const request = {
        method: init.method ?? "",
        url: String(url),
        headers: new Headers(init.headers),
        body: init.body,
      };
      asked.push(request);
      const answer = left.shift();
      if (answer === undefined) throw new TypeError("fetch failed");
      return answer(request, init);
    },
    random: () => 0.5,
    wait: async (ms) => {
      waits.push(ms);
    },
    silenceMs: 20,
  });
  return { client, asked, waits };
}

const lost = (): Response => {
  throw new TypeError("fetch failed");
};
const answers =
  (value: unknown, status = 200) =>
  () =>
    Response.json(value, { status });

const envelope = (seq: number): EventEnvelope => ({
  sessionId: "s",
  seq,
  turnId: "t",
  at: seq,
  event: { type: "text-delta", blockId: "b", text: `word ${seq}, größer` },
});
const sse = (...seqs: readonly number[]) =>
  seqs.map((seq) => `id: ${seq}\ndata: ${JSON.stringify(envelope(seq))}\n\n`).join("");

/** A stream of these pieces, after which the line breaks, ends, or goes silent. */
function streams(pieces: readonly (string | Uint8Array<ArrayBuffer>)[], ending: "break" | "end" | "silence") {
  const encoder = new TextEncoder();
  const left = pieces.map((piece) => (typeof piece === "string" ? encoder.encode(piece) : piece));
  const finish = {
    break: (stream: ReadableStreamDefaultController) => stream.error(new TypeError("terminated")),
    end: (stream: ReadableStreamDefaultController) => stream.close(),
    silence: () => undefined,
  }[ending];
  return (_: Asked, { signal }: RequestInit): Response => {
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => signal?.addEventListener("abort", () => stream.error(new DOMException("", "AbortError"))),
      pull(stream) {
        const piece = left.shift();
        if (piece === undefined) finish(stream);
        else stream.enqueue(piece);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
  };
}

async function readSeqs(client: NativeClient, after: number, until: number): Promise<readonly number[]> {
  const stop = new AbortController();
  const seqs: number[] = [];
  for await (const events of client.followEvents("s", { after, signal: stop.signal })) {
    seqs.push(...events.map(({ seq }) => seq));
    if (seqs.at(-1) === until) stop.abort();
  }
  return seqs;
}

async function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  const reason = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  return CaretError.is(reason) ? reason.toInfo() : reason;
}

describe("requests", () => {
  it("go to the gateway's address with whatever path stands before it, ids escaped", async () => {
    const { client, asked } = scriptedGateway(answers({ id: "a/b" }), answers({ sessions: [] }));
    await client.getSession("a/b");
    await client.listSessions({ search: "x y", archived: false });
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET http://gateway/below/api/sessions/a%2Fb",
      "GET http://gateway/below/api/sessions?search=x+y&archived=false",
    ]);
    expect(asked[0]?.headers.get("x-caret-page")).toBe("key");
    expect(asked[0]?.headers.has("idempotency-key")).toBe(false);
  });

  it("are tried again with the same key when the answer was lost, so that a prompt is sent once", async () => {
    const started = { sessionId: "s", turnId: "t", firstSeq: 1 };
    const { client, asked, waits } = scriptedGateway(lost, answers({}, 502), answers(started, 202));
    expect(await client.startTurn("s", { prompt: "Hi" })).toEqual(started);
    expect(new Set(asked.map(({ headers }) => headers.get("idempotency-key"))).size).toBe(1);
    expect(asked[0]?.headers.get("idempotency-key")).toMatch(/^[0-9a-f]{32}$/);
    expect(asked.map(({ body }) => body)).toEqual(Array(3).fill('{"prompt":"Hi"}'));
    expect(waits).toEqual([250, 1000]);
  });

  it("have a key of their own each, or the caller's", async () => {
    const { client, asked } = scriptedGateway(answers({}), answers({}), answers({}));
    await client.createSession({});
    await client.createSession({});
    await client.createSession({}, { idempotencyKey: "mine" });
    const keys = asked.map(({ headers }) => headers.get("idempotency-key"));
    expect(new Set(keys).size).toBe(3);
    expect(keys[2]).toBe("mine");
  });

  it("say that the gateway does not answer after four attempts", async () => {
    const { client, asked } = scriptedGateway();
    expect(await reasonOf(client.about())).toEqual({
      code: "upstream-unreachable",
      message: "The gateway does not answer",
      retryable: true,
      fix: "See whether it runs: `caret serve` starts it.",
    });
    expect(asked.length).toBe(4);
  });

  it("reject with what the gateway said, and are not tried again", async () => {
    const said = { code: "session-busy", message: "A turn runs", retryable: true, fix: "Stop it." };
    const error = { ...said, upstream: "words", retryAfterSeconds: 3 };
    const { client, asked } = scriptedGateway(answers({ error }, 409));
    expect(await reasonOf(client.deleteSession("s"))).toEqual(error);
    expect(asked.length).toBe(1);
  });

  it("reject with a known code when the answer is not Caret's", async () => {
    const { client } = scriptedGateway(
      () => new Response("<h1>Forbidden</h1>", { status: 403 }),
      answers({ error: { code: "brand-new", message: "Later" } }, 400),
    );
    expect(await reasonOf(client.about())).toMatchObject({ code: "forbidden" });
    expect(await reasonOf(client.about())).toMatchObject({ code: "internal", message: "Later" });
  });

  it("are cancelled by the caller's signal", async () => {
    const { client } = scriptedGateway((_, { signal }) => {
      signal?.throwIfAborted();
      return Response.json({});
    });
    expect(await reasonOf(client.about({ signal: AbortSignal.abort() }))).toMatchObject({ code: "cancelled" });
  });

  it("give an exported session the gateway's name for it", async () => {
    const headers = { "content-disposition": 'attachment; filename="fix.md"' };
    const { client } = scriptedGateway(() => new Response("# Fix", { headers }));
    const { fileName, content } = await client.exportSession("s", "markdown");
    expect([fileName, await content.text()]).toEqual(["fix.md", "# Fix"]);
  });
});

describe("followEvents", () => {
  it("goes on where it was when the line breaks, ends, or goes silent", async () => {
    const { client, asked } = scriptedGateway(
      streams([sse(4, 5), ": keep-alive\n\n", sse(6), 'id: 7\ndata: {"se'], "break"),
      lost,
      answers({ error: { code: "overloaded", message: "Full" } }, 503),
      streams([sse(7)], "end"),
      streams([sse(8)], "silence"),
      streams([sse(9, 10)], "silence"),
    );
    expect(await readSeqs(client, 3, 10)).toEqual([4, 5, 6, 7, 8, 9, 10]);
    expect(asked.map(({ headers }) => headers.get("last-event-id"))).toEqual(["3", "6", "6", "6", "7", "8"]);
    expect(asked[0]?.url).toBe("http://gateway/below/api/sessions/s/events");
  });

  it("gives the same events wherever the bytes are cut", async () => {
    const bytes = new TextEncoder().encode(sse(1, 2, 3));
    for (const cut of bytes.keys()) {
      const { client } = scriptedGateway(streams([bytes.subarray(0, cut), bytes.subarray(cut)], "silence"));
      expect(await readSeqs(client, 0, 3)).toEqual([1, 2, 3]);
    }
  });

  it("drops what it has, and reconnects at a gap", async () => {
    const { client } = scriptedGateway(streams([sse(1, 2), sse(2, 3, 5)], "silence"), streams([sse(4, 5)], "silence"));
    expect(await readSeqs(client, 0, 5)).toEqual([1, 2, 3, 4, 5]);
  });

  it("gives up on a log with a gap, rather than ask forever", async () => {
    const { client } = scriptedGateway(streams([sse(1, 3)], "silence"), streams([sse(3)], "silence"));
    expect(await reasonOf(readSeqs(client, 0, 3))).toMatchObject({ code: "protocol-violation" });
  });

  it("rejects when the session is gone or the token was revoked", async () => {
    for (const code of ["session-not-found", "unauthenticated"] as const) {
      const { client } = scriptedGateway(streams([sse(1)], "break"), answers({ error: { code, message: "No" } }, 404));
      expect(await reasonOf(readSeqs(client, 0, 9))).toMatchObject({ code });
    }
  });

  it("waits longer after each failure, and reports the state of the connection", async () => {
    const { client, waits } = scriptedGateway(
      lost,
      lost,
      lost,
      streams([sse(1)], "end"),
      lost,
      streams([sse(2)], "end"),
    );
    const stop = new AbortController();
    const states: string[] = [];
    const onState = (state: string): void => {
      states.push(state);
    };
    for await (const events of client.followEvents("s", { after: 0, signal: stop.signal, onState }))
      if (events[0]?.seq === 2) stop.abort();
    expect(waits).toEqual([225, 450, 900, 225, 450]);
    expect(states).toEqual([...Array(3).fill("reconnecting"), "open", "reconnecting", "reconnecting", "open"]);
  });
});

it("ux C9: waits at most two seconds before it tries again, however long the gateway was away", async () => {
  const { client, waits } = scriptedGateway(...Array(8).fill(lost), streams([sse(1)], "end"));
  expect(await readSeqs(client, 0, 1)).toEqual([1]);
  expect(waits).toEqual([225, 450, 900, ...Array(5).fill(1500)]);
});

it("followUpdates says at each connection that the list is to be read again", async () => {
  const { client } = scriptedGateway(
    streams(['data: {"kind":"deleted","sessionId":"a"}\n\n'], "break"),
    streams(['data: {"kind":"deleted","sessionId":"b"}\n\n'], "silence"),
  );
  const stop = new AbortController();
  const items: unknown[] = [];
  for await (const batch of client.followUpdates({ signal: stop.signal })) {
    items.push(...batch);
    if (items.length === 4) stop.abort();
  }
  expect(items).toEqual([
    { kind: "opened" },
    { kind: "deleted", sessionId: "a" },
    { kind: "opened" },
    { kind: "deleted", sessionId: "b" },
  ]);
});
