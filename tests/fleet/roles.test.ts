import { execFileSync } from "node:child_process";
import { installJobs, migrateDatabase, openDatabase, readDatabaseAddress, roleGrants } from "@caret/fleet";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { GatewayProcess } from "../clients/gateway-process.ts";
import { FleetHome, type WorkerProcess } from "./fleet-home.ts";

/** The roles of `caret store roles`, the tables of the owner, and a worker and a gateway with the address of their own role each. */
let fleet: FleetHome;
let worker: WorkerProcess;
let gateway: GatewayProcess;
beforeAll(async () => {
  fleet = await FleetHome.open();
  fleet.server.run("psql", ["-qX", "-v", "ON_ERROR_STOP=1", "caret_fleet"], roleGrants("caret"));
  const database = openDatabase(readDatabaseAddress(addressOf("owner")));
  await migrateDatabase(database);
  await installJobs(database);
  await database.close();
  worker = await fleet.worker("worker", { CARET_STORE: addressOf("worker") });
  gateway = await fleet.gateway("gateway", { CARET_STORE: addressOf("gateway") });
});
afterAll(() => fleet.remove());

const addressOf = (role: string): string => fleet.url.replace("caret@", `caret_${role}@`);
const rowsOf = (sessionId: string): string =>
  fleet.server
    .run("psql", ["-d", "caret_fleet", "-Atc", `select count(*) from caret.events where session_id = '${sessionId}'`])
    .trim();

it("a worker and a gateway run a turn, answer a stateless door and delete a session, each with the rights of its role alone", async () => {
  const client = fleet.client(gateway);
  const session = await client.createSession({ workspace: fleet.home.workspace, permission: "full" });
  await client.startTurn(session.id, { prompt: "Say hello" });
  await expect.poll(async () => (await client.getSession(session.id)).status).toMatchObject({ outcome: "completed" });
  const response = await fetch(new URL("/v1/chat/completions", gateway.url), {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", messages: [{ role: "user", content: "Say hello" }] }),
  });
  expect([response.status, await response.json()]).toMatchObject([200, { choices: [{ finish_reason: "stop" }] }]);
  await client.deleteSession(session.id);
  await expect(client.getSession(session.id)).rejects.toMatchObject({ code: "session-not-found" });
  await expect.poll(() => rowsOf(session.id), { timeout: 30_000 }).toBe("0");
  expect([worker.stderr(), gateway.stderr()].join("")).not.toContain("refuses this user");
});

it("they have rights enough for agents in worktrees, comparisons and imports, and for a drained worker to take its rows away", async () => {
  const client = fleet.client(gateway);
  const { workspace } = fleet.home;
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: workspace });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "first");
  await client.createAgent({ name: "ada", worktree: workspace, permission: "full", lane: "sim" });
  await client.sendMessage("ada", { text: "Say hello" });
  await expect.poll(async () => (await client.getAgent("ada")).lastOutcome, { timeout: 30_000 }).toBe("completed");
  const { content } = await client.exportSession((await client.getAgent("ada")).sessionId, "ndjson");
  expect(await client.importSession(content)).toMatchObject({ imported: true });
  await client.removeAgent("ada", { force: true });
  const wanted = {
    prompt: "Say hello",
    models: ["auto", "gpt-5.1"],
    workspace,
    permission: "full",
    lane: "sim",
  } as const;
  const { id } = await client.startComparison(wanted);
  await expect.poll(async () => (await client.getComparison(id)).state, { timeout: 30_000 }).toBe("ready");
  expect(await client.dropComparison(id)).toMatchObject({ state: "dropped" });
  worker.kill("SIGTERM");
  await worker.exited;
  const rows = fleet.server.run("psql", ["-d", "caret_fleet", "-Atc", "select count(*) from caret.comparisons"]);
  expect([rows.trim(), [worker.stderr(), gateway.stderr()].join("").includes("refuses this user")]).toEqual([
    "0",
    false,
  ]);
});
