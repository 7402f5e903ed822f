import { type Caller, CaretError, Secret } from "@caret/protocol";
import { expect, it } from "vitest";
import { createMembers } from "../members/members.ts";
import { openHintListener } from "../seat/hint-listener.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { createSealer } from "../wire/sealer.ts";
import { createFleetComparisons } from "./fleet-comparisons.ts";

let database: TestDatabase;
shareTestDatabase((opened) => {
  database = opened;
});

it("a worker is told that nobody follows a comparison when the database is back: it keeps it until then", async () => {
  const onError = (): void => undefined;
  const sealer = createSealer(new Secret("the key of a fleet in a test, long enough"));
  const members = createMembers(database);
  const worker = {
    id: "worker-1",
    role: "worker",
    machine: "here",
    version: "1",
    about: {},
    isLeaving: false,
  } as const;
  await members.note(worker);
  const view = sealer.seal({ view: { id: "c", workspace: "/w", candidates: [] } });
  await database.query("insert into comparisons (id, owner, view) values ('c', 'worker-1', $1)", [view]);
  const listener = openHintListener({ database, onError, pollMs: 20 });
  const asked: string[] = [];
  const ask = async (_worker: string, name: string): Promise<unknown> => {
    asked.push(name);
    if (asked.length !== 2) return null;
    const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    throw new CaretError("storage-failed", "PostgreSQL cannot be reached", { cause });
  };
  const comparisons = createFleetComparisons({ database, sealer, listener, members, ask, owner: "gateway-1", onError });
  for await (const _ of comparisons.follow("c", new AbortController().signal, {} as Caller)) break;
  await expect.poll(() => asked).toEqual(["comparisons.hold", "comparisons.letGo", "comparisons.letGo"]);
  await listener.close();
});
