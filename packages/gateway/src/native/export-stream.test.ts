import { once } from "node:events";
import { setImmediate as nextLoop } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { saying, scriptedConversations, telling } from "../chat/testing/scripted-conversations.ts";
import { openSocket, type StartedServer, startServer } from "../server/testing/start-server.ts";
import { ScriptedSessions } from "./testing/scripted-sessions.ts";

let server: StartedServer;
afterEach(() => server.app.close());

/** A server whose export never ends; `isOver` tells whether its generator has stopped. */
async function startEndless(chunk: string): Promise<{ isOver: () => boolean }> {
  const sessions = new ScriptedSessions();
  sessions.addSession("s1");
  let over = false;
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) {
        yield chunk;
        await nextLoop();
      }
    } finally {
      over = true;
    }
  }
  sessions.exportSession = async () => ({ fileName: "s1.md", mediaType: "text/plain", chunks: endless() });
  server = await startServer(scriptedConversations(telling(...saying("hello"))), { sessions, stuckReaderMs: 300 });
  return { isOver: () => over };
}

async function askForExport(token: string) {
  const socket = await openSocket(server.port);
  socket.on("error", () => undefined); // being cut off is expected
  const host = `127.0.0.1:${server.port}`;
  socket.write(`GET /api/sessions/s1/export HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await once(socket, "data");
  return socket;
}

it("ends an export when the token is revoked", async () => {
  const { isOver } = await startEndless("a line\n");
  const socket = await askForExport("page");
  socket.resume();
  server.tokens.delete("page");
  await expect.poll(isOver, { timeout: 3000 }).toBe(true);
  socket.destroy();
});

it("ends an export whose reader takes nothing", async () => {
  const { isOver } = await startEndless("x".repeat(100_000));
  const socket = await askForExport("boss");
  socket.pause();
  await expect.poll(isOver, { timeout: 3000 }).toBe(true);
  socket.destroy();
});
