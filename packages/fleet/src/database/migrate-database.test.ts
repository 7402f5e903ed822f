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

it("keeps contested transcripts of a session that is deleted, also those that an older program has written or writes yet", async () => {
  const database = open(server.createDatabase("contested"));
  const write = async (hash: string, sessionId: string): Promise<void> => {
    await database.query(
      `insert into lineage_transcripts as known (hash, session_id, turn_id, count, heard_before, at) values ($1, $2, 't', 1, 0, 1)
       on conflict (hash) do update set session_id = excluded.session_id,
         is_contested = known.is_contested or known.session_id <> excluded.session_id`,
      [hash, sessionId],
    );
  };
  await migrateDatabase(database, migrations.slice(0, 8));
  await database.query(
    "insert into sessions (id, workspace, created_at, updated_at, search_text) select id, '/w', 1, 1, '' from unnest(array['s1', 's2']) as id",
  );
  for (const when of ["before", "after"]) {
    for (const [what, ...sessionIds] of [
      ["own", "s2"],
      ["contested", "s1", "s2"],
      ["other", "s1"],
    ] as const)
      for (const sessionId of sessionIds) await write(`${what} ${when}`, sessionId);
    if (when === "before") await migrateDatabase(database);
  }
  await database.query("delete from sessions where id = 's2'");
  const { rows } = await database.query("select hash, session_id from lineage_transcripts order by hash");
  expect(rows).toEqual([
    { hash: "contested after", session_id: "s2" },
    { hash: "contested before", session_id: "s2" },
    { hash: "other after", session_id: "s1" },
    { hash: "other before", session_id: "s1" },
  ]);
  await expect(write("late", "s2")).rejects.toMatchObject({ cause: { code: "23503" } });
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
