import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { migrateDatabase, migrations, openDatabase, readDatabaseAddress } from "@caret/fleet";
import type { NativeClient } from "@caret/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { caret, type GatewayProcess } from "../clients/gateway-process.ts";
import { FleetHome, type WorkerProcess } from "./fleet-home.ts";

let fleet: FleetHome;
let worker: WorkerProcess;
let gateway: GatewayProcess;
let client: NativeClient;
beforeAll(async () => {
  fleet = await FleetHome.open();
  worker = await fleet.worker("worker");
  gateway = await fleet.gateway("gateway");
  client = fleet.client(gateway);
});
afterAll(() => fleet.remove());

const create = async (): Promise<string> =>
  (await client.createSession({ workspace: fleet.home.workspace, permission: "full", lane: "sim" })).id;

async function turn(at: NativeClient, sessionId: string, prompt: string): Promise<string> {
  const { turnId } = await at.startTurn(sessionId, { prompt });
  const status = async () => (await at.getSession(sessionId)).status;
  await expect.poll(status, { timeout: 30_000 }).toMatchObject({ kind: "ended", turnId, outcome: "completed" });
  return turnId;
}

async function verify(...places: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const argv = [caret, "store", "verify", ...places, "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { env: fleet.environment("command") });
  return JSON.parse(stdout);
}

it("a restored backup has every session, verified by its digest, and a new gateway and worker go on with it", async () => {
  const ids = [await create(), await create()];
  for (const id of ids) await turn(client, id, "Say hello");
  const { server } = fleet;
  const schemas = ["--schema=caret", "--schema=caret_jobs"];
  server.run("pg_dump", ["--format=custom", ...schemas, "--file=caret.dump", "--dbname=caret_fleet"]);
  const url = server.createDatabase("restored");
  server.run("pg_restore", ["--dbname=restored", "caret.dump"]);
  const [one, other] = await verify(fleet.url, "--against", url);
  expect({ ...other, place: "" }).toEqual({ ...one, place: "" });
  expect(one).toMatchObject({ sessions: 2 });
  await fleet.worker("restored-worker", { CARET_STORE: url });
  const there = fleet.client(await fleet.gateway("restored-gateway", { CARET_STORE: url }));
  const id = ids[0] ?? "";
  const turnId = await turn(there, id, "Say hello again");
  const { events } = await there.readLog(id, {});
  expect(new Set(events.map((event) => event.turnId)).size).toBe(2);
  expect((await client.getSession(id)).status).not.toMatchObject({ turnId });
});

it("programs of this version start and work beside a newer one whose migration only adds, and refuse one that takes away", async () => {
  const database = openDatabase(readDatabaseAddress(fleet.url));
  const adding = { sql: "alter table sessions add column later text", oldestProgram: migrations.length };
  await migrateDatabase(database, [...migrations, adding]);
  // Those that run go on, and those that start beside them work with them.
  const id = await create();
  await turn(client, id, "Say hello");
  const older = await fleet.worker("older-worker");
  const beside = fleet.client(await fleet.gateway("older-gateway"));
  await turn(beside, id, "Say hello");
  older.kill("SIGTERM");
  await older.exited;
  const removing = { sql: "alter table sessions drop column later", oldestProgram: migrations.length + 1 };
  await migrateDatabase(database, [...migrations, adding, removing]);
  await database.close();
  await expect(fleet.worker("too-old")).rejects.toThrow("a newer Caret that this one cannot work beside");
  await turn(client, id, "Say hello");
});

it("a worker that is drained ends its running turn, takes none that comes later, and leaves with exit code 0", async () => {
  const [busy, later] = [await create(), await create()];
  const { turnId } = await client.startTurn(busy, { prompt: "Run `sleep 3; echo slept >> drained.txt`" });
  await expect.poll(async () => (await client.getSession(busy)).status).toMatchObject({ kind: "running" });
  const owners = (): string =>
    fleet.server.run("psql", [
      "-d",
      "caret_fleet",
      "-Atc",
      "select is_leaving from caret.members where role = 'worker'",
    ]);
  worker.kill("SIGTERM");
  await expect.poll(() => owners().trim()).toBe("t");
  const waiting = client.startTurn(later, { prompt: "Say hello" });
  await expect
    .poll(async () => (await client.getSession(busy)).status, { timeout: 20_000 })
    .toMatchObject({
      kind: "ended",
      turnId,
      outcome: "completed",
    });
  expect(await worker.exited).toEqual([0, null]);
  expect((await client.getSession(later)).status).toMatchObject({ kind: "idle" });
  // There is a newer schema by now: the next worker is of a version that knows it.
  fleet.server.run("psql", [
    "-d",
    "caret_fleet",
    "-qc",
    `delete from caret.schema_migrations where number > ${migrations.length}`,
  ]);
  await fleet.worker("next");
  const begun = await waiting;
  await expect
    .poll(async () => (await client.getSession(later)).status, { timeout: 30_000 })
    .toMatchObject({ kind: "ended", turnId: begun.turnId, outcome: "completed" });
});
