import { afterAll, beforeAll, expect, it } from "vitest";
import { createPostgresLineageStore } from "../lineage/postgres-lineage-store.ts";
import { openPostgresEventStore } from "../log/postgres-event-store.ts";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { readDatabaseAddress } from "./database-address.ts";
import { migrateDatabase } from "./migrate-database.ts";
import { migrations } from "./migrations/migrations.ts";
import { type Database, openDatabase } from "./open-database.ts";
import { roleGrants } from "./role-grants.ts";

let server: PostgresServer;
const opened: Database[] = [];

beforeAll(async () => {
  server = await startPostgres();
  server.createDatabase("roles");
  server.run("psql", ["-qX", "-v", "ON_ERROR_STOP=1", "roles"], roleGrants("caret"));
  await migrateDatabase(as("owner"));
});
afterAll(async () => {
  await Promise.all(opened.map((each) => each.close()));
  await server.stop();
});

function as(role: "owner" | "gateway" | "worker"): Database {
  const url = server.url("roles").replace("caret@", `caret_${role}@`);
  const database = openDatabase(readDatabaseAddress(url));
  opened.push(database);
  return database;
}

const entry = { turnId: "t1", event: { type: "text-delta", blockId: "b1", text: "a" } } as const;

it("lets a gateway and a worker keep sessions, each as far as its role goes", async () => {
  for (const role of ["gateway", "worker"] as const) {
    const database = as(role);
    await migrateDatabase(database);
    const store = await openPostgresEventStore({ database });
    await store.createSession({ id: role, workspace: "/w", createdAt: 1 });
    await store.append(role, 0, [entry]);
    expect((await store.read(role)).length).toBe(1);
    await store.close();
  }
  const store = await openPostgresEventStore({ database: as("gateway") });
  expect(await store.deleteSession("gateway")).toBe(true);
  await store.close();
});

it("lets a worker keep transcripts, which go with a session that a gateway deletes unless they are contested", async () => {
  const [gateway, worker] = [as("gateway"), as("worker")];
  const sessions = await openPostgresEventStore({ database: gateway });
  for (const id of ["mine", "another"]) await sessions.createSession({ id, workspace: "/w", createdAt: 1 });
  const lineage = createPostgresLineageStore({ database: worker, machine: "one" });
  const put = (hash: string, sessionId: string): Promise<void> => {
    const record = { sessionId, turnId: "t1", count: 1, heardBefore: 0, at: Date.now() };
    return lineage.remember({ scope: "s", hash, record, scopes: new Map(), inLog: Promise.resolve() });
  };
  await put("a", "mine");
  await put("b", "another");
  await put("b", "mine");
  const rows = async () => (await worker.query("select hash from lineage_transcripts order by hash")).rows;
  expect(await rows()).toEqual([{ hash: "a" }, { hash: "b" }]);
  expect(await sessions.deleteSession("mine")).toBe(true);
  expect(await rows()).toEqual([{ hash: "b" }]);
  await sessions.close();
});

it.each([
  ["gateway", "update events set data = '{}'"],
  ["gateway", "drop table events"],
  ["gateway", "create table mine (id text)"],
  ["gateway", "delete from schema_migrations"],
  ["gateway", "insert into lineage_newest (session_id, hash, at) values ('worker', 'a', 1)"],
  ["gateway", "update lineage_transcripts set session_id = 'worker'"],
  ["gateway", "delete from lineage_scopes"],
  ["worker", "update events set data = '{}'"],
  ["worker", "delete from events"],
  ["worker", "delete from sessions"],
  ["worker", "delete from turn_usages"],
  ["worker", "alter table sessions add column mine text"],
] as const)("does not let a %s run: %s", async (role, sql) => {
  await expect(as(role).query(sql)).rejects.toMatchObject({
    code: "storage-failed",
    message: expect.stringMatching(/^PostgreSQL refuses this user: (permission denied|must be owner)/),
  });
});

it("says to a gateway that may not migrate what has to be done", async () => {
  const newer = [...migrations, { sql: "create table added (id text)", oldestProgram: 1 }];
  await expect(migrateDatabase(as("gateway"), newer)).rejects.toMatchObject({
    code: "storage-failed",
    fix: expect.stringContaining("caret store"),
  });
});
