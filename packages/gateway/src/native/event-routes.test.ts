import { once } from "node:events";
import { type AgentEvent, CaretError, type EventEnvelope, type SessionUpdate } from "@caret/protocol";
import { afterEach, expect, it } from "vitest";
import { saying, scriptedConversations, telling } from "../chat/testing/scripted-conversations.ts";
import { openSocket, type StartedServer, type StartOptions, startServer } from "../server/testing/start-server.ts";
import { randomCuts } from "./testing/random-cuts.ts";
import { readSse } from "./testing/read-sse.ts";
import { ScriptedSessions } from "./testing/scripted-sessions.ts";

const servers: StartedServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map(({ app }) => app.close()));
});

async function start(sessions: ScriptedSessions, options: StartOptions = {}): Promise<StartedServer> {
  const server = await startServer(scriptedConversations(telling(...saying("hello"))), { sessions, ...options });
  servers.push(server);
  return server;
}

const says = (text: string): AgentEvent => ({ type: "text-delta", blockId: "b", text });

function sessionsWith(events: number, options?: { batchSize: number }): ScriptedSessions {
  const sessions = new ScriptedSessions(options);
  sessions.addSession("s1");
  for (let index = 0; index < events; index += 1) sessions.append("s1", [says(`${index}\n\n`)], `line ${index}`);
  return sessions;
}

interface Reading {
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly token?: string;
  readonly signal?: AbortSignal;
}

function open({ url }: StartedServer, path: string, { query = "", headers, token = "boss", signal }: Reading = {}) {
  return fetch(`${url}${path}${query}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Reads `count` events and leaves. */
async function readSome(server: StartedServer, count: number, reading: Reading = {}): Promise<EventEnvelope[]> {
  const leaving = new AbortController();
  const response = await open(server, "/api/sessions/s1/events", { ...reading, signal: leaving.signal });
  const read: EventEnvelope[] = [];
  for await (const { id, data } of readSse(response)) {
    const envelope = JSON.parse(data) as EventEnvelope;
    expect(id).toBe(String(envelope.seq));
    read.push(envelope);
    if (read.length === count) break;
  }
  leaving.abort();
  return read;
}

const gone = async (sessions: ScriptedSessions): Promise<void> => {
  while (sessions.followers > 0) await new Promise(setImmediate);
};

it("sends what is in the log and then what is committed, across turns, for as long as the client stays", async () => {
  const sessions = sessionsWith(2);
  const server = await start(sessions);
  const response = await open(server, "/api/sessions/s1/events");
  const texts: string[] = [];
  for await (const { data } of readSse(response)) {
    const { event } = JSON.parse(data) as EventEnvelope;
    texts.push(event.type === "text-delta" ? event.text : event.type);
    if (texts.length === 2) sessions.append("s1", [{ type: "turn-end", outcome: { kind: "completed" } }, says("more")]);
    if (texts.length === 4) sessions.remove("s1");
  }
  expect([texts, response.headers.get("content-type")]).toEqual([
    ["0\n\n", "1\n\n", "turn-end", "more"],
    "text/event-stream; charset=utf-8",
  ]);
});

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "resumes after any cut (%i): every event once and in order, whichever way the cursor is given",
  async (seed) => {
    const sessions = sessionsWith(40, { batchSize: 4 });
    const server = await start(sessions);
    const read: EventEnvelope[] = [];
    for (const [index, count] of randomCuts(seed, 40).entries()) {
      const after = String(read.length);
      const byHeader = { query: "?after=1", headers: { "last-event-id": after } };
      read.push(...(await readSome(server, count, index % 2 === 0 ? byHeader : { query: `?after=${after}` })));
    }
    expect(read).toEqual((await sessions.readLog("s1", {})).events);
    await gone(sessions);
  },
);

it("gives the agent's lines when asked", async () => {
  const [first] = await readSome(await start(sessionsWith(1)), 1, { query: "?raw=true" });
  expect(first?.raw).toBe("line 0");
});

it("keeps a silent stream alive with comments", async () => {
  const server = await start(sessionsWith(0), { native: { keepAliveMs: 20 } });
  const leaving = new AbortController();
  const response = await open(server, "/api/sessions/s1/events", { signal: leaving.signal });
  const { value } = (await response.body?.getReader().read()) ?? {};
  leaving.abort();
  expect(Buffer.from(value ?? []).toString("utf8")).toBe(": keep-alive\n\n");
});

it("cuts a reader that takes nothing, counts it, and lets it go on from where it was", async () => {
  const sessions = sessionsWith(0, { batchSize: 50 });
  const big = "x".repeat(100_000);
  sessions.append(
    "s1",
    Array.from({ length: 400 }, (_value, index) => says(`${index}${big}`)),
  );
  const server = await start(sessions, { stuckReaderMs: 300 });
  const socket = await openSocket(server.port);
  socket.write(
    `GET /api/sessions/s1/events HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer boss\r\n\r\n`,
  );
  const [head] = (await once(socket, "data")) as [string];
  socket.pause();
  await gone(sessions);
  socket.destroy();
  const metrics = await (await open(server, "/metrics")).text();
  const [next] = await readSome(server, 1, { query: "?after=399" });
  expect({
    isAnswered: head.startsWith("HTTP/1.1 200"),
    slowReaders: /caret_slow_readers_total (\d+)/.exec(metrics)?.[1],
    seq: next?.seq,
  }).toEqual({ isAnswered: true, slowReaders: "1", seq: 400 });
});

it("ends when the token is revoked", async () => {
  const sessions = sessionsWith(1);
  const server = await start(sessions);
  const response = await open(server, "/api/sessions/s1/events", { token: "page" });
  server.tokens.delete("page");
  const ids: (string | undefined)[] = [];
  for await (const { id } of readSse(response)) ids.push(id);
  expect([ids, sessions.followers]).toEqual([["1"], 0]);
});

it("does not make a closing gateway wait", async () => {
  const sessions = sessionsWith(1);
  const { app, ...server } = await startServer(scriptedConversations(telling(...saying("hello"))), { sessions });
  const response = await open({ app, ...server }, "/api/sessions/s1/events");
  const started = performance.now();
  await Promise.all([app.close(), response.text()]);
  expect({ isPrompt: performance.now() - started < 5000, followers: sessions.followers }).toEqual({
    isPrompt: true,
    followers: 0,
  });
});

it("says in the stream what goes wrong once it has begun", async () => {
  const sessions = sessionsWith(1);
  sessions.followLog = async function* failing() {
    yield [{ sessionId: "s1", seq: 1, turnId: "t1", at: 1, event: says("a") }];
    throw new CaretError("storage-failed", "The log cannot be read");
  };
  const wire = await (await open(await start(sessions), "/api/sessions/s1/events")).text();
  expect(wire).toMatch(/^id: 1\ndata: .*\n\nevent: error\ndata: \{"error":\{"code":"storage-failed".*\}\}\n\n$/);
});

it("sends updates of all sessions from the moment the stream is open", async () => {
  const sessions = sessionsWith(0);
  const server = await start(sessions);
  const response = await open(server, "/api/sessions/stream");
  const sent: SessionUpdate[] = [
    { kind: "changed", session: await sessions.get("s1") },
    { kind: "deleted", sessionId: "s1" },
  ];
  for (const item of sent) sessions.publish(item);
  const heard: unknown[] = [];
  for await (const { id, data } of readSse(response)) {
    heard.push([id, JSON.parse(data)]);
    if (heard.length === sent.length) break;
  }
  await gone(sessions);
  expect(heard).toEqual(sent.map((item) => [undefined, item]));
});
