import { once } from "node:events";
import { type AgentEvent, type EventEnvelope, toSeedEvent } from "@caret/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { saying, scriptedConversations, telling } from "../chat/testing/scripted-conversations.ts";
import {
  exchange,
  type StartedServer,
  type StartOptions,
  startServer,
  statusOf,
} from "../server/testing/start-server.ts";
import { randomCuts } from "./testing/random-cuts.ts";
import { ScriptedSessions } from "./testing/scripted-sessions.ts";

const servers: StartedServer[] = [];
const sockets: WebSocket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await Promise.all(servers.splice(0).map(({ app }) => app.close()));
});

async function start(sessions: ScriptedSessions, options: StartOptions = {}): Promise<StartedServer> {
  const server = await startServer(scriptedConversations(telling(...saying("hello"))), { sessions, ...options });
  servers.push(server);
  return server;
}

interface Connecting {
  readonly protocols?: string[];
  readonly headers?: Record<string, string>;
  readonly path?: string;
  readonly origin?: string;
}

const asBoss = { authorization: "Bearer boss" };

function connect({ port }: StartedServer, options: Connecting = {}): WebSocket {
  const { protocols = [], headers = asBoss, path = "/api/sessions/s1/socket", origin } = options;
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, {
    headers: { ...headers, ...(origin === undefined ? {} : { origin }) },
  });
  sockets.push(socket);
  // `terminate` ends a refused connection with an error, which adds nothing.
  socket.on("error", () => undefined);
  return socket;
}

/** Says where to begin, reads `count` messages, and leaves. */
async function readSome(server: StartedServer, count: number, first: object, options?: Connecting): Promise<unknown[]> {
  const socket = connect(server, options);
  const read: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.on("message", (data) => {
    if (read.length < count) read.push(JSON.parse(String(data)));
    if (read.length === count) resolve();
  });
  socket.once("close", () => resolve());
  await once(socket, "open");
  socket.send(JSON.stringify(first));
  await promise;
  socket.terminate();
  return read;
}

async function closing(socket: WebSocket): Promise<[number, string]> {
  const [code, reason] = (await once(socket, "close")) as [number, Buffer];
  return [code, reason.toString("utf8")];
}

async function refusal(socket: WebSocket): Promise<number> {
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, { statusCode: number }];
  return response.statusCode;
}

const says = (text: string): AgentEvent => ({ type: "text-delta", blockId: "b", text });

function sessionsWith(events: number, batchSize = 4): ScriptedSessions {
  const sessions = new ScriptedSessions({ batchSize });
  sessions.addSession("s1");
  for (let index = 0; index < events; index += 1)
    sessions.append("s1", [says(String(index))], `{"type":"a","n":${index}}`);
  return sessions;
}

const gone = async (sessions: ScriptedSessions): Promise<void> => {
  while (sessions.followers > 0) await new Promise(setImmediate);
};

describe("a WebSocket", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])("resumes after any cut (%i): every event once and in order", async (seed) => {
    const sessions = sessionsWith(30);
    const server = await start(sessions);
    const read: unknown[] = [];
    for (const count of randomCuts(seed, 30)) read.push(...(await readSome(server, count, { since: read.length })));
    expect(read).toEqual((await sessions.readLog("s1", {})).events);
    await gone(sessions);
  });

  it("goes on with what is committed, and ends when the session is gone", async () => {
    const sessions = sessionsWith(1);
    const socket = connect(await start(sessions), { protocols: ["caret.events"] });
    const seqs: number[] = [];
    socket.on("message", (data) => {
      seqs.push((JSON.parse(String(data)) as EventEnvelope).seq);
      if (seqs.length === 1) sessions.append("s1", [says("more"), says("and more")]);
      if (seqs.length === 3) sessions.remove("s1");
    });
    await once(socket, "open");
    socket.send('{"since":0}');
    expect([await closing(socket), seqs, socket.protocol]).toEqual([
      [1000, "The session is gone"],
      [1, 2, 3],
      "caret.events",
    ]);
  });

  it("gives the agent's lines when asked", async () => {
    const [first] = (await readSome(await start(sessionsWith(1)), 1, { since: 0, raw: true })) as EventEnvelope[];
    expect(first?.raw).toBe('{"type":"a","n":0}');
  });

  it("sends every event in the stored shape of other pages to a client that asks for it, and resumes by its id", async () => {
    const sessions = sessionsWith(3);
    sessions.append("s1", [{ type: "turn-end", outcome: { kind: "completed" } }]);
    const server = await start(sessions);
    const { events } = await sessions.readLog("s1", { raw: true });
    const protocols = ["cursor-agent.events"];
    const all = await readSome(server, 4, { since: 0 }, { protocols });
    const [last] = await readSome(server, 1, { since: "s1:3" }, { protocols });
    expect([all, last]).toEqual([events.map(toSeedEvent), all[3]]);
  });

  it.each([
    ["nothing", "", "The first message must be JSON"],
    ["no JSON", "since 5", "The first message must be JSON"],
    ["no cursor", "{}", "since: must be the number of an event"],
    ["a cursor that is none", '{"since":"last"}', "since: must be the number of an event"],
    ["a cursor beyond the end", '{"since":9}', "after: the log of this session ends at 1"],
  ])("that says %s first gets an error and is closed", async (_name, message, words) => {
    const socket = connect(await start(sessionsWith(1)));
    await once(socket, "open");
    const refusal = once(socket, "message");
    const closed = closing(socket);
    socket.send(message);
    const [text] = (await refusal) as [Buffer];
    const [code, reason] = await closed;
    expect({ code, startsWithWords: reason.startsWith(words), errorCode: JSON.parse(String(text)).error.code }).toEqual(
      { code: 1008, startsWithWords: true, errorCode: "invalid-request" },
    );
  });

  it("that says nothing for too long is closed", async () => {
    const sessions = sessionsWith(1);
    const socket = connect(await start(sessions, { native: { sinceMs: 50 } }));
    expect((await closing(socket))[0]).toBe(1008);
  });

  it("that says too much is closed", async () => {
    const socket = connect(await start(sessionsWith(1)));
    await once(socket, "open");
    socket.send("x".repeat(5000));
    expect((await closing(socket))[0]).toBe(1009);
  });

  it("ends within a second when its token is revoked", async () => {
    const sessions = sessionsWith(1);
    const server = await start(sessions);
    const socket = connect(server, { headers: { authorization: "Bearer page" } });
    await once(socket, "open");
    socket.send('{"since":0}');
    await once(socket, "message");
    server.tokens.delete("page");
    expect([(await closing(socket))[0], sessions.followers]).toEqual([1001, 0]);
  });

  it("does not make a closing gateway wait", async () => {
    const sessions = sessionsWith(1);
    const server = await startServer(scriptedConversations(telling(...saying("hello"))), { sessions });
    const socket = connect(server);
    await once(socket, "open");
    socket.send('{"since":0}');
    await once(socket, "message");
    const started = performance.now();
    const [[code]] = await Promise.all([closing(socket), server.app.close()]);
    expect({ code, isPrompt: performance.now() - started < 5000 }).toEqual({ code: 1001, isPrompt: true });
  });

  it("is cut when its reader takes nothing, in bounded memory", async () => {
    const sessions = sessionsWith(0, 20);
    sessions.append(
      "s1",
      Array.from({ length: 400 }, () => says("x".repeat(100_000))),
    );
    const server = await start(sessions, { stuckReaderMs: 300 });
    const socket = connect(server);
    await once(socket, "open");
    socket.send('{"since":0}');
    await once(socket, "message");
    socket.pause();
    await gone(sessions);
    const metrics = await (await fetch(`http://127.0.0.1:${server.port}/metrics`, { headers: asBoss })).text();
    const counted = ["slow_readers_total", "streams_open", "requests_open"].map(
      (name) => new RegExp(`caret_${name} (\\d+)`).exec(metrics)?.[1],
    );
    // The one open request is this one for the metrics.
    expect(counted).toEqual(["1", "0", "1"]);
  });

  it("is asked for signs of life, and ended without any", async () => {
    const sessions = sessionsWith(0);
    const server = await start(sessions, { native: { keepAliveMs: 20 }, stuckReaderMs: 200 });
    const alive = connect(server);
    const pings = once(alive, "ping");
    await once(alive, "open");
    alive.send('{"since":0}');
    await pings;
    const dead = new WebSocket(`ws://127.0.0.1:${server.port}/api/sessions/s1/socket`, {
      headers: asBoss,
      autoPong: false,
    });
    sockets.push(dead);
    await once(dead, "open");
    dead.send('{"since":0}');
    expect([(await closing(dead))[0], alive.readyState]).toEqual([1006, WebSocket.OPEN]);
  });
});

describe("the door to a WebSocket", () => {
  it.each<[string, Connecting, number]>([
    ["no token", { headers: {} }, 401],
    ["a wrong token", { headers: { authorization: "Bearer bad" } }, 401],
    ["a token without the scope", { headers: { authorization: "Bearer good" } }, 403],
    ["a foreign origin", { origin: "https://evil.test" }, 403],
    ["an origin that is null", { origin: "null" }, 403],
    ["a foreign host", { headers: { ...asBoss, host: "evil.test" } }, 403],
    ["a session that does not exist", { path: "/api/sessions/nobody/socket" }, 404],
    ["only the page's key", { headers: {}, protocols: ["caret.events", "caret.page.secret-number-1"] }, 401],
    ["only the page's cookie", { headers: { cookie: "caret_page=caret_browser" } }, 401],
  ])("stays shut for %s", async (_name, options, status) => {
    const sessions = sessionsWith(1);
    const server = await start(sessions);
    server.tokens.set("caret_browser-secret-number-1", { name: "browser-1", scopes: ["admin"] });
    expect([await refusal(connect(server, options)), sessions.followers]).toEqual([status, 0]);
  });

  it("opens for a page with both halves, and never says its key back", async () => {
    const server = await start(sessionsWith(1));
    server.tokens.set("caret_browser-secret-number-1", { name: "browser-1", scopes: ["admin"] });
    const socket = connect(server, {
      headers: { cookie: `a=b; caret_page_${server.port}=caret_browser` },
      protocols: ["caret.page.-secret-number-1", "caret.events"],
      origin: `http://127.0.0.1:${server.port}`,
    });
    await once(socket, "open");
    expect(socket.protocol).toBe("caret.events");
  });

  it("takes no offer to upgrade anything else, so that the request is answered as usual", async () => {
    const { port } = await start(sessionsWith(1));
    const body = '{"messages":[{"role":"user","content":"hello"}]}';
    const upgrade = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__";
    const common = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer boss\r\n${upgrade}`;
    const answers = await Promise.all([
      exchange(
        port,
        `POST /v1/messages HTTP/1.1\r\n${common}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      ),
      exchange(port, `GET /api/sessions HTTP/1.1\r\n${common.replace("h2c", "websocket")}\r\n\r\n`),
    ]);
    expect(answers.map(statusOf)).toEqual([200, 200]);
  });
});
