import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "@caret/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Caret } from "./caret.ts";
import { openCaret } from "./open-caret.ts";

let directory: string;
let caret: Caret;

beforeAll(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-library-")));
  writeFileSync(join(directory, "note.txt"), "hello\n");
  const scenario = join(directory, "scenario.json");
  writeFileSync(scenario, JSON.stringify({ turns: [{ when: "^Wait", steps: [{ text: "I wait." }, { hang: true }] }] }));
  const { platform } = process;
  const env = { PATH: process.env["PATH"], CARET_SIM_SCENARIO: scenario };
  caret = await openCaret(
    { env, cwd: directory, home: directory, platform, uid: process.getuid?.() },
    {
      lane: "sim",
      dataDir: join(directory, "data"),
      workspaces: [directory],
      settings: { "warm.enabled": false },
    },
  );
});

afterAll(async () => {
  await caret.close();
  rmSync(directory, { recursive: true });
});

const isText = (event: AgentEvent) => (event.type === "text-delta" ? [event.text] : []);

it("runs a turn to its end and continues its session, as the log has it", async () => {
  const first = await Array.fromAsync(caret.runTurn({ workspace: directory, prompt: "Read note.txt" }));
  const sessionId = first[0]?.sessionId ?? "";
  const second = await Array.fromAsync(caret.runTurn({ sessionId, prompt: "hello" }));
  const { events } = await caret.client.readLog(sessionId);
  expect([...first, ...second]).toEqual(events);
  expect(first.flatMap(({ event }) => isText(event)).join("")).toContain("hello");
  expect([first[0]?.event.type, first.at(-1)?.event]).toEqual([
    "turn-start",
    { type: "turn-end", outcome: { kind: "completed" } },
  ]);
});

it("gives the end of a turn that its signal cancels", async () => {
  const leaving = new AbortController();
  const events: AgentEvent[] = [];
  for await (const { event } of caret.runTurn({ prompt: "Wait", workspace: directory, signal: leaving.signal })) {
    events.push(event);
    if (event.type === "text-delta") leaving.abort();
  }
  expect(events.at(-1)).toEqual({ type: "turn-end", outcome: { kind: "cancelled" } });
});

it("cancels a turn whose loop is left", async () => {
  let sessionId = "";
  expect.assertions(1);
  for await (const envelope of caret.runTurn({ prompt: "Wait", workspace: directory })) {
    sessionId = envelope.sessionId;
    if (envelope.event.type === "text-delta") break;
  }
  const { signal } = new AbortController();
  for await (const batch of caret.client.followEvents(sessionId, { after: 0, signal })) {
    const last = batch.at(-1)?.event;
    if (last?.type !== "turn-end") continue;
    expect(last.outcome).toEqual({ kind: "cancelled" });
    break;
  }
});

it("puts its doors and its page into a server of the program, and lets nobody in without a token", async () => {
  const server = createServer(caret.handle).on("upgrade", caret.handleUpgrade).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (path: string, token: string): Promise<number> =>
    (await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })).status;
  const page = await (await fetch(url)).text();
  const statuses = [await ask("/v1/models", caret.token), await ask("/v1/models", "another")];
  server.close();
  server.closeAllConnections();
  expect([statuses, page.includes("<title>Caret")]).toEqual([[200, 401], true]);
});

it("ends what follows it when it is closed, and refuses what is asked of it afterwards, at once", async () => {
  const { platform } = process;
  const closed = await openCaret(
    { env: {}, cwd: directory, home: directory, platform, uid: process.getuid?.() },
    { lane: "sim", dataDir: join(directory, "closed"), workspaces: [directory], settings: { "warm.enabled": false } },
  );
  const { id } = await closed.client.createSession({ workspace: directory });
  const opened = Promise.withResolvers<void>();
  const { signal } = new AbortController();
  const following = Array.fromAsync(
    closed.client.followEvents(id, { after: 0, signal, onState: (state) => state === "open" && opened.resolve() }),
  );
  const refused = { code: "invalid-request", message: "This Caret was closed" };
  const ended = expect(following).rejects.toMatchObject(refused);
  await opened.promise;
  await closed.close();
  await ended;
  await expect(closed.client.listSessions()).rejects.toMatchObject(refused);
  await expect(Array.fromAsync(closed.runTurn({ workspace: directory, prompt: "hello" }))).rejects.toMatchObject(
    refused,
  );
});

it("rejects with everything that is wrong about its settings", async () => {
  const { platform } = process;
  const opening = openCaret(
    { env: {}, cwd: directory, home: directory, platform, uid: process.getuid?.() },
    { settings: { "sandbox.mode": "maybe" } },
  );
  await expect(opening).rejects.toMatchObject({
    code: "invalid-config",
    message: expect.stringContaining("--sandbox-mode"),
  });
});
