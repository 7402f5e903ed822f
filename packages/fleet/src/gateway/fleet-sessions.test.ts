import type { Caller, SessionView } from "@caret/protocol";
import { expect, it } from "vitest";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { createFleetSessions, type FleetSessionsOptions } from "./fleet-sessions.ts";

let database: TestDatabase;
shareTestDatabase((opened) => {
  database = opened;
});

it("a turn that waits is stopped through its own session only: another one's may be somebody else's", async () => {
  const sessions = createFleetSessions({
    database,
    local: { get: async (id: string) => ({ id }) as SessionView },
    shown: { owner: async () => undefined },
    notifier: { hint: () => undefined },
  } as unknown as FleetSessionsOptions);
  await database.query("insert into work (key, kind, queue) values ('theirs', 'session', 'q')");
  await database.query("insert into turns (id, key) values ('t', 'theirs')");
  const state = async (): Promise<unknown> => (await database.query("select state from turns")).rows[0]?.["state"];
  await expect(sessions.cancelTurn("mine", "t", {} as Caller)).rejects.toMatchObject({ code: "not-found" });
  const before = await state();
  await sessions.cancelTurn("theirs", "t", {} as Caller);
  expect([before, await state()]).toEqual(["queued", "withdrawn"]);
});
