import { once } from "node:events";
import type { Socket } from "node:net";
import type { AgentEvent } from "@caret/protocol";
import { afterEach, expect, it } from "vitest";
import { saying, scriptedConversations, telling } from "../chat/testing/scripted-conversations.ts";
import { exchange, openSocket, type StartedServer, startServer, statusOf } from "./testing/start-server.ts";

const MEBIBYTE = 1024 * 1024;
const servers: StartedServer[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map(({ app }) => app.close()));
});

async function start(...[conversations, limits]: Parameters<typeof startServer>): Promise<StartedServer> {
  const server = await startServer(conversations, limits);
  servers.push(server);
  return server;
}

async function open(port: number): Promise<Socket> {
  const socket = await openSocket(port);
  sockets.push(socket);
  return socket;
}

const quiet = () => scriptedConversations(telling(...saying("hello")));
const body = '{"messages":[{"role":"user","content":"hello"}],"stream":true}';

function post(port: number, ...headers: string[]): string {
  const lines = [`Host: 127.0.0.1:${port}`, "Authorization: Bearer boss", "Content-Type: application/json", ...headers];
  return `POST /v1/messages HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

it.each([
  [
    "a length and chunks",
    (port: number) => `${post(port, "Content-Length: 5", "Transfer-Encoding: chunked")}0\r\n\r\n`,
  ],
  ["two lengths", (port: number) => `${post(port, "Content-Length: 5", "Content-Length: 6")}hello`],
  ["a length that is none", (port: number) => `${post(port, "Content-Length: five")}hello`],
  ["a chunk that is none", (port: number) => `${post(port, "Transfer-Encoding: chunked")}zz\r\nhello\r\n`],
  ["chunks twice over", (port: number) => `${post(port, "Transfer-Encoding: chunked, chunked")}0\r\n\r\n`],
  ["a header without a name", (port: number) => post(port, ": empty")],
  ["a folded header", (port: number) => post(port, "X-A: b\r\n c")],
  ["a line that is no request", () => "hello\r\n\r\n"],
  ["a version nobody speaks", () => "GET / HTTP/9.9\r\n\r\n"],
  ["bytes of TLS", () => "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n"],
])("answers %s with 400 and closes, and the conversations sees nothing", async (_name, request) => {
  const conversations = quiet();
  const { port } = await start(conversations);
  const socket = await open(port);
  const closed = once(socket, "close");
  let answer = "";
  socket.on("data", (chunk: string) => {
    answer += chunk;
  });
  socket.write(request(port));
  await closed;
  expect([statusOf(answer), conversations.opened]).toEqual([400, []]);
});

it("refuses headers of a megabyte", async () => {
  const { port } = await start(quiet());
  expect(statusOf(await exchange(port, post(port, `X-Long: ${"x".repeat(MEBIBYTE)}`)))).toBe(431);
});

const hour = 3_600_000;

it.each([
  [
    "headers that never end",
    { headersMs: 200, requestMs: hour },
    (port: number) => `POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`,
  ],
  [
    "a body that never ends",
    { headersMs: 200, requestMs: 400 },
    (port: number) => `${post(port, `Content-Length: ${body.length}`)}{"mess`,
  ],
])("does not wait for ever for %s", async (_name, limits, request) => {
  const conversations = quiet();
  const { port } = await start(conversations, limits);
  const socket = await open(port);
  socket.resume();
  const closed = once(socket, "close");
  socket.write(request(port));
  await closed;
  expect(conversations.opened).toEqual([]);
});

it("takes only so many connections", async () => {
  const { port } = await start(quiet(), { maxConnections: 3, headersMs: hour, requestMs: hour });
  const kept = await Promise.all([open(port), open(port), open(port)]);
  const refused = await open(port);
  refused.resume();
  await once(refused, "close");
  const answers = kept.map((socket) => once(socket, "data"));
  for (const socket of kept) socket.write(`HEAD / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  expect((await Promise.all(answers)).map(([answer]) => statusOf(answer))).toEqual([200, 200, 200]);
});

it("closes a connection that its client would keep, once its answer is finished and the gateway closes", async () => {
  const { promise: finish, resolve } = Promise.withResolvers<void>();
  const conversations = scriptedConversations(async function* slow() {
    yield saying("hello").slice(0, 3);
    await finish;
    yield saying("hello").slice(3);
  });
  const { app, port } = await startServer(conversations, { drainMs: hour });
  const socket = await open(port);
  const closed = once(socket, "close");
  let answer = "";
  socket.on("data", (chunk: string) => {
    answer += chunk;
  });
  socket.write(post(port, `Content-Length: ${body.length}`) + body);
  await once(socket, "data");
  const closing = app.close();
  while (app.server.listening) await new Promise(setImmediate);
  resolve();
  await Promise.all([closing, closed]);
  expect(answer.includes("event: message_stop")).toBe(true);
});

it("drops fifty clients that never read, in bounded memory, and leaves their turns", async () => {
  const text = "x".repeat(64 * 1024);
  const flood: AgentEvent[] = [{ type: "text-delta", blockId: "b1", text }];
  const following = new Set<number>();
  let turns = 0;
  const conversations = scriptedConversations(async function* endless(signal) {
    turns += 1;
    const turn = turns;
    following.add(turn);
    while (!signal.aborted) yield flood;
    following.delete(turn);
  });
  const { port, url } = await start(conversations, { stuckReaderMs: 1000 });
  const before = memory();
  for (let count = 0; count < 50; count += 1) {
    const socket = await open(port);
    socket.pause();
    socket.write(post(port, `Content-Length: ${body.length}`) + body);
  }
  while (turns < 50) await new Promise(setImmediate);
  let most = 0;
  while (following.size > 0) {
    most = Math.max(most, memory() - before);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const metrics = await (await fetch(`${url}/metrics`, { headers: { "x-api-key": "meter" } })).text();
  expect(/caret_slow_readers_total (\d+)/.exec(metrics)?.[1]).toBe("50");
  expect(most).toBeLessThan(64 * MEBIBYTE);
});

/** The process's memory, including uncollected garbage. */
function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
