import { expect, it } from "vitest";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { openHintListener } from "./hint-listener.ts";

let database: TestDatabase;
shareTestDatabase((opened) => {
  database = opened;
});

it("a listener that is closed while it connects comes to its end, and leaves no connection", async () => {
  const name = "select count(*)::int as count from pg_stat_activity where query like 'listen %'";
  await openHintListener({ database, onError: (error) => expect.unreachable(error.message) }).close();
  expect((await database.query(name)).rows).toEqual([{ count: 0 }]);
}, 10_000);
