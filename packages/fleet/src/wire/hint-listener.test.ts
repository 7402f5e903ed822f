import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { openHintListener } from "./hint-listener.ts";

let server: PostgresServer;
let database: TestDatabase;
beforeAll(async () => {
  server = await startPostgres();
  database = await createTestDatabase(server);
});
afterAll(async () => {
  await database.close();
  await server.stop();
});

it("a listener that is closed while it connects comes to its end, and leaves no connection", async () => {
  const name = "select count(*)::int as count from pg_stat_activity where query like 'listen %'";
  await openHintListener({ database, onError: (error) => expect.unreachable(error.message) }).close();
  expect((await database.query(name)).rows).toEqual([{ count: 0 }]);
}, 10_000);
