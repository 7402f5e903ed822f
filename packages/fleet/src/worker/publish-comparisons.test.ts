import { CaretError, type ComparisonView, Secret } from "@caret/protocol";
import { expect, it } from "vitest";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { createSealer } from "../wire/sealer.ts";
import { createComparisonPublisher } from "./publish-comparisons.ts";

let database: TestDatabase;
shareTestDatabase((opened) => {
  database = opened;
});

it("the last change of a comparison is shown when the database is back, and nothing waits for it at the end", async () => {
  const sealer = createSealer(new Secret("the key of a fleet in a test, long enough"));
  let isAway = false;
  const query: typeof database.query = async (...statement) => {
    if (!isAway) return await database.query(...statement);
    const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    throw new CaretError("storage-failed", "PostgreSQL cannot be reached", { cause });
  };
  const publisher = createComparisonPublisher({
    database: { ...database, query },
    sealer,
    notifier: { hint: () => undefined, close: async () => undefined },
    owner: "worker-1",
    onError: () => undefined,
  });
  const show = (id: string, state: string): void =>
    publisher.onChange({ id, state } as unknown as ComparisonView, undefined);
  const views = async (): Promise<unknown> =>
    (await database.query("select view from comparisons order by id")).rows.map(({ view }) =>
      sealer.open(view as Buffer),
    );
  show("c", "running");
  await publisher.published("c");
  isAway = true;
  show("c", "done");
  await new Promise((resolve) => setImmediate(resolve));
  isAway = false;
  await publisher.published("c");
  expect(await views()).toEqual([{ view: { id: "c", state: "done" } }]);
  isAway = true;
  show("c", "dropped");
  await publisher.close();
}, 10_000);
