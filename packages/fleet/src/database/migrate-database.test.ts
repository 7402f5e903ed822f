import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { readDatabaseAddress } from "./database-address.ts";
import { migrateDatabase } from "./migrate-database.ts";
import { migrations } from "./migrations/migrations.ts";
import { type Database, openDatabase } from "./open-database.ts";

let server: PostgresServer;
const opened: Database[] = [];

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await Promise.all(opened.map((each) => each.close()));
  await server.stop();
});

function open(url: string): Database {
  const database = openDatabase(readDatabaseAddress(url));
  opened.push(database);
  return database;
}

it("makes the tables once, however many programs start together", async () => {
  const url = server.createDatabase("together");
  await Promise.all([1, 2, 3, 4].map(() => migrateDatabase(open(url))));
  const { rows } = await open(url).query("select number, oldest_program from schema_migrations");
  expect(rows).toEqual(
    migrations.map(({ oldestProgram }, index) => ({ number: index + 1, oldest_program: oldestProgram })),
  );
});

it("works beside a newer program whose migrations only add, and not beside one whose migrations took something away", async () => {
  const url = server.createDatabase("newer");
  const number = migrations.length;
  const expanding = [...migrations, { sql: "create table added (id text)", oldestProgram: number }];
  await migrateDatabase(open(url), expanding);
  await expect(migrateDatabase(open(url))).resolves.toBeUndefined();
  const contracting = [...expanding, { sql: "drop table added", oldestProgram: number + 1 }];
  await migrateDatabase(open(url), contracting);
  await expect(migrateDatabase(open(url))).rejects.toMatchObject({
    code: "storage-failed",
    fix: "Update Caret on this machine.",
  });
  await expect(migrateDatabase(open(url), expanding)).resolves.toBeUndefined();
});

it("leaves nothing of a migration that failed", async () => {
  const url = server.createDatabase("failing");
  const failing = [...migrations, { sql: "create table half (id text); select from nowhere", oldestProgram: 1 }];
  await expect(migrateDatabase(open(url), failing)).rejects.toThrow(/"nowhere" does not exist/);
  const { rows } = await open(url).query(
    "select to_regclass('caret.half') as half, to_regclass('caret.sessions') as sessions",
  );
  expect(rows).toEqual([{ half: null, sessions: null }]);
});

it("keeps two installations apart by the schema of the address", async () => {
  const url = server.createDatabase("shared");
  await migrateDatabase(open(`${url}&schema=one`));
  await migrateDatabase(open(`${url}&schema=two`));
  const { rows } = await open(url).query(
    "select to_regclass('one.sessions') is not null as one, to_regclass('caret.sessions') as caret",
  );
  expect(rows).toEqual([{ one: true, caret: null }]);
});
