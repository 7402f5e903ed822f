import { CaretError, Secret } from "@caret/protocol";
import type { EventStore, RunningTurn } from "@caret/runtime";
import { expect, it } from "vitest";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { createSealer } from "../wire/sealer.ts";
import { createTurnPublisher } from "./publish-turns.ts";

let database: TestDatabase;
shareTestDatabase((opened) => {
  database = opened;
});

const sealer = createSealer(new Secret("the key of a fleet in a test, long enough"));

it("a turn that asks a person while the database is away is shown, with its question, when that is back", async () => {
  const [outcome, settled] = [Promise.withResolvers<never>(), Promise.withResolvers<void>()];
  const asks: unknown[] = [];
  let onChange: () => void = () => undefined;
  let isAway = false;
  const query: typeof database.query = async (...statement) => {
    if (isAway)
      throw new CaretError("storage-failed", "PostgreSQL cannot be reached", {
        cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }),
      });
    return await database.query(...statement);
  };
  const publish = createTurnPublisher({
    database: { ...database, query },
    store: { subscribe: () => () => undefined } as unknown as EventStore,
    sealer,
    notifier: { hint: () => undefined, close: async () => undefined },
    owner: "worker-1",
    machine: "here",
    onError: () => undefined,
  });
  isAway = true;
  publish({
    sessionId: "s",
    turnId: "t",
    firstSeq: 2,
    outcome: outcome.promise,
    settled: settled.promise,
    asks: {
      open: () => asks,
      onChange(listener: () => void) {
        onChange = listener;
        return () => undefined;
      },
    },
  } as unknown as RunningTurn);
  asks.push({ requestId: "r", request: { type: "question", requestId: "r" } });
  onChange();
  await new Promise((resolve) => setImmediate(resolve));
  isAway = false;
  const row = async (): Promise<unknown> =>
    (await database.query("select turn_id, owner, waits is not null as asks from running_turns")).rows[0];
  await expect.poll(row).toEqual({ turn_id: "t", owner: "worker-1", asks: true });
  outcome.resolve({ kind: "completed" } as never);
  settled.resolve();
  await expect.poll(row).toBe(undefined);
});
