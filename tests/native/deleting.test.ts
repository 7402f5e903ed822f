import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { createNativeClient, type NativeClient } from "@caret/protocol";
import { barSize, isFullRun } from "@caret/runtime/testing/bar-size.ts";
import type { ScenarioInput } from "@caret/simulator";
import { afterEach, beforeEach, expect, it } from "vitest";
import { GatewayHome } from "../clients/gateway-home.ts";
import { type GatewayProcess, startGateway } from "../clients/gateway-process.ts";
import { eventOf, playTurn } from "./await-event.ts";
import { caretCommand } from "./run-in-terminal.ts";

const scenario: ScenarioInput = {
  turns: [
    { when: "for ever", steps: [{ text: "Still here. " }, { hang: true }] },
    { when: "", steps: [{ text: "Done." }] },
  ],
};
/** The smallest PNG there is. */
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

let home: GatewayHome;
let gateway: GatewayProcess | undefined;
let caret: NativeClient;
beforeEach(() => {
  home = new GatewayHome(scenario);
});
afterEach(async () => {
  gateway?.kill("SIGKILL");
  await gateway?.exited;
  gateway = undefined;
  home.remove();
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  gateway = await startGateway(home, { args: ["--port", "0"], env });
  const { url, token } = gateway;
  caret = createNativeClient({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });
}

async function stop(): Promise<void> {
  await gateway?.stop();
  gateway = undefined;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function command(...args: readonly string[]): Promise<Ended> {
  const options = { cwd: home.workspace, env: home.environment() };
  const done = promisify(execFile)(process.execPath, [caretCommand, ...args], options);
  return await done.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (reason: Ended) => ({ code: reason.code, stdout: reason.stdout, stderr: reason.stderr }),
  );
}

const entriesIn = (name: string): readonly string[] => {
  const directory = join(home.dataDir, name);
  return existsSync(directory) ? readdirSync(directory) : [];
};

function countRows(table: "session" | "event"): number {
  const database = new DatabaseSync(join(home.dataDir, "caret.db"));
  const row = database.prepare(`select count(*) as count from ${table}`).get();
  database.close();
  return Number(row?.["count"]);
}

it("`caret sessions rm` refuses a session whose turn runs at the gateway, and deletes none of the others", async () => {
  await start();
  const [busy, other] = [await caret.createSession({ permission: "full" }), await caret.createSession({})];
  const { firstSeq } = await caret.startTurn(busy.id, { prompt: "Go on for ever" });
  await eventOf(caret, busy.id, "text-delta", firstSeq);
  const { code, stderr } = await command("sessions", "rm", "--yes", other.id, busy.id);
  expect({ code, isReported: stderr.includes(`A turn of the session ${busy.id} runs`) }).toEqual({
    code: 1,
    isReported: true,
  });
  expect((await caret.listSessions()).sessions.map(({ id }) => id).toSorted()).toEqual([busy.id, other.id].toSorted());
});

it("`caret sessions rm` ends the turn of a process that died, and deletes its session", async () => {
  await start();
  const { id } = await caret.createSession({ permission: "full" });
  const { firstSeq } = await caret.startTurn(id, { prompt: "Go on for ever" });
  await eventOf(caret, id, "text-delta", firstSeq);
  gateway?.kill("SIGKILL");
  await gateway?.exited;
  expect(await command("sessions", "rm", "--yes", id)).toMatchObject({ code: 0 });
  expect({ sessions: countRows("session"), events: countRows("event") }).toEqual({ sessions: 0, events: 0 });
});

const deletions = [
  ["rm", (id: string) => ["sessions", "rm", "--yes", id]],
  ["prune", () => ["sessions", "prune", "--keep", "0"]],
] as const;
// The quick form prunes, too: what `rm` has left.
it.each(deletions.slice(0, barSize({ quick: 1, full: 2 })))(
  "`caret sessions %s` deletes a session's images and directories with it",
  async (_, args) => {
    await start();
    const { id } = await caret.createSession({ permission: "full" });
    const images = [{ mediaType: "image/png" as const, base64: dot }];
    const { firstSeq } = await caret.startTurn(id, { prompt: "Look", images });
    await eventOf(caret, id, "turn-end", firstSeq);
    await playTurn(caret, (await caret.createSession({ permission: "supervised" })).id, "Hello");
    await stop();
    const before = { images: entriesIn("attachments").length, directories: entriesIn("scratch").length };
    await command(...args(id));
    if (_ === "rm") await command("sessions", "prune", "--keep", "0");
    expect({ before, images: entriesIn("attachments"), directories: entriesIn("scratch") }).toEqual({
      before: { images: 1, directories: 3 },
      images: [],
      directories: [],
    });
  },
);

it.runIf(isFullRun())("a test of a door leaves no session behind, whatever it asks the agent", async () => {
  await start();
  const answers = [];
  for (const door of ["openai", "responses", "anthropic"] as const) answers.push(await caret.testConnection({ door }));
  await stop();
  expect({ ok: answers.map(({ ok }) => ok), sessions: countRows("session"), scratch: entriesIn("scratch") }).toEqual({
    ok: [true, true, true],
    sessions: 0,
    scratch: [],
  });
});

it("the gateway deletes by itself what `retention` says", async () => {
  await start();
  for (const title of ["oldest", "older", "newer", "newest"]) await caret.createSession({ title });
  await stop();
  await start({ CARET_RETENTION_SESSIONS: "2" });
  const titles = async () => (await caret.listSessions()).sessions.map(({ title }) => title);
  await expect.poll(titles).toEqual(["newest", "newer"]);
});

it.runIf(isFullRun())(
  "an import that is killed half-way leaves nothing that anybody sees, and the next gateway removes the rest",
  async () => {
    const header = { format: "caret-session", version: 1, session: { workspace: home.workspace, createdAt: 1 } };
    const event = (seq: number) => ({
      seq,
      turnId: "t1",
      at: seq,
      event:
        seq === 1 ? { type: "turn-start", turnId: "t1", lane: "sim" } : { type: "text-delta", blockId: "b", text: "x" },
    });
    const lines = [header, ...Array.from({ length: 5_000 }, (_, index) => event(index + 1))];
    const child = spawn(process.execPath, [caretCommand, "sessions", "import", "-"], {
      cwd: home.workspace,
      env: home.environment(),
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.stdin.on("error", () => undefined); // it is killed while it reads
    child.stdin.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await expect.poll(() => existsSync(join(home.dataDir, "caret.db")) && countRows("event") > 1_000).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await command("sessions", "ls", "--json")).toMatchObject({ code: 0, stdout: "[]\n" });
    await start();
    await expect.poll(() => [countRows("session"), countRows("event")]).toEqual([0, 0]);
  },
);
