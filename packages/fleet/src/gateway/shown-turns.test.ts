import { Secret } from "@caret/protocol";
import { expect, it } from "vitest";
import type { Database } from "../database/open-database.ts";
import { openHintListener } from "../seat/hint-listener.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { createSealer } from "../wire/sealer.ts";
import { openShownTurns } from "./shown-turns.ts";

let database: TestDatabase;
shareTestDatabase((opened) => {
  database = opened;
});

it("reads a turn once for each hint about it, and asks nothing more of the database", async () => {
  const onError = (error: Error): void => expect.unreachable(error.message);
  const sealer = createSealer(new Secret("the key of a fleet in a test, long enough"));
  let asked = 0;
  const counted: Database = {
    ...database,
    query: (...statement) => {
      asked += 1;
      return database.query(...statement);
    },
  };
  // Polling is off, so only the cost of hints is counted.
  const listener = openHintListener({ database, onError, pollMs: 600_000 });
  const connected = "select count(*)::int as count from pg_stat_activity where query = 'listen caret_fleet'";
  await expect.poll(async () => (await database.query(connected)).rows).toEqual([{ count: 1 }]);
  const shown = openShownTurns({ database: counted, listener, sealer, onError });
  const changed: string[] = [];
  shown.onChange((sessionId) => changed.push(sessionId));
  await expect.poll(() => asked).toBeGreaterThan(0);
  const begin = async (id: string): Promise<void> => {
    await database.query("insert into running_turns (session_id, turn_id, owner) values ($1, 't', 'm/1')", [id]);
    listener.hear({ kind: "running", id });
    await expect.poll(() => changed).toContain(id);
  };
  const before = asked;
  await begin("s1");
  await begin("s2");
  // Long enough for an endless loop to ask again.
  for (let round = 0; round < 20; round += 1) await database.query("select 1");
  expect({ changed, asked: asked - before, turn: shown.of("s2")?.turnId }).toEqual({
    changed: ["s1", "s2"],
    asked: 2,
    turn: "t",
  });
  shown.close();
  await listener.close();
});
