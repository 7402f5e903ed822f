import { once } from "node:events";
import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { saying, scriptedConversations, telling } from "../chat/testing/scripted-conversations.ts";
import { ScriptedSessions } from "../native/testing/scripted-sessions.ts";
import { openSocket, type StartedServer, startServer } from "./testing/start-server.ts";

const QUICK_MS = 3_000;
const leftovers: (() => void)[] = [];
afterEach(() => {
  for (const leave of leftovers.splice(0)) leave();
});

async function open(port: number): Promise<Socket> {
  const socket = await openSocket(port);
  leftovers.push(() => socket.destroy());
  return socket;
}

const head = (port: number): string => `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer boss\r\n`;
const json = "Content-Type: application/json\r\n";

async function openEvents(port: number): Promise<WebSocket> {
  const headers = { authorization: "Bearer boss" };
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/sessions/s1/socket`, { headers });
  leftovers.push(() => socket.terminate());
  await once(socket, "open");
  return socket;
}

const LONG = "more than a socket takes ".repeat(40_000);

/** Each leaves a connection open. */
const clients: readonly (readonly [string, (server: StartedServer) => Promise<unknown>])[] = [
  ["has said nothing, as a browser's preconnect", ({ port }) => open(port)],
  ["has said half a request line", async ({ port }) => (await open(port)).write("GET /healt")],
  ["has said half its headers", async ({ port }) => (await open(port)).write(`GET /healthz HTTP/1.1\r\n${head(port)}`)],
  [
    "has sent half a body",
    async ({ port }) =>
      (await open(port)).write(`POST /v1/messages HTTP/1.1\r\n${head(port)}${json}Content-Length: 100\r\n\r\n{"m`),
  ],
  [
    "keeps its connection after an answer",
    async ({ port }) => {
      const socket = await open(port);
      socket.write(`GET /healthz HTTP/1.1\r\n${head(port)}\r\n`);
      await once(socket, "data");
    },
  ],
  [
    "follows events and never reads them",
    async ({ port }) => {
      const socket = await open(port);
      socket.pause();
      socket.write(`GET /api/sessions/s1/events?after=0 HTTP/1.1\r\n${head(port)}\r\n`);
    },
  ],
  [
    "asks for a long answer and never reads it",
    async ({ port }) => {
      const socket = await open(port);
      socket.pause();
      const body = '{"model":"auto","stream":true,"messages":[{"role":"user","content":"hello"}]}';
      const length = `Content-Length: ${body.length}\r\n`;
      socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${head(port)}${json}${length}\r\n${body}`);
    },
  ],
  [
    "has a WebSocket that never reads",
    async ({ port }) => {
      const socket = await openEvents(port);
      socket.pause();
      socket.send('{"since":0}');
    },
  ],
  ["has a WebSocket on which it says nothing", ({ port }) => openEvents(port)],
];

describe("Stopping is quick", () => {
  it.each(clients)("although a client %s", async (_, connect) => {
    const sessions = new ScriptedSessions();
    sessions.addSession("s1");
    for (let index = 0; index < 10; index += 1) sessions.append("s1", saying(LONG));
    const server = await startServer(scriptedConversations(telling(...saying(LONG.repeat(5)))), {
      sessions,
      drainMs: 1_000,
    });
    await connect(server);
    // Once another request is answered, everything sent before has arrived.
    await fetch(`${server.url}/healthz`);
    const startedAt = performance.now();
    await server.app.close();
    expect(performance.now() - startedAt).toBeLessThan(QUICK_MS);
  });
});
