import { expect, it } from "vitest";
import { openPostgresEventStore } from "../log/postgres-event-store.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { createSessionLeases } from "./session-leases.ts";

let database: TestDatabase;
shareTestDatabase((opened) => {
  database = opened;
});

it("a session that a turn makes is held from its first row on, so that a worker that dies at once is found", async () => {
  const leases = createSessionLeases(database, "worker-1");
  const store = await openPostgresEventStore({ database, owner: "worker-1", ...leases });
  await leases.claim("made");
  await store.createSession({ id: "made", workspace: "/w", createdAt: 1 });
  await store.createSession({ id: "nobody's", workspace: "/w", createdAt: 1 });
  const { rows } = await database.query("select id, owner, lease_until > now() as leased from sessions order by id");
  expect(rows).toEqual([
    { id: "made", owner: "worker-1", leased: true },
    { id: "nobody's", owner: null, leased: null },
  ]);
  await store.append("made", 0, [{ turnId: "t1", event: { type: "text-delta", blockId: "b1", text: "a" } }]);
  await database.query("update sessions set lease_until = now() - interval '1 second' where owner is not null");
  expect(await createSessionLeases(database, "worker-2").takeExpired()).toEqual(["made"]);
  expect(await leases.renew()).toEqual(["made"]);
  await store.close();
});

it("a session whose row is written while leases are renewed is not taken for another worker's", async () => {
  const store = await openPostgresEventStore({ database });
  let isMade = false;
  const query: typeof database.query = async (...statement) => {
    const result = await database.query(...statement);
    if (statement[0].includes("update sessions set lease_until") && !isMade) {
      isMade = true;
      await store.createSession({ id: "in between", workspace: "/w", createdAt: 1 });
      await database.query("update sessions set owner = 'worker-1' where id = 'in between'");
    }
    return result;
  };
  const leases = createSessionLeases({ ...database, query }, "worker-1");
  await leases.claim("in between");
  expect(await leases.renew()).toEqual([]);
  expect([isMade, leases.fenceOf("in between")]).toEqual([true, 0]);
  await store.close();
});

it("a session that was released and claimed again while leases are renewed is not taken for lost: its turn goes on", async () => {
  await database.empty();
  const store = await openPostgresEventStore({ database });
  for (const id of ["again", "locked"]) await store.createSession({ id, workspace: "/w", createdAt: 1 });
  const [locked, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const waits = async (): Promise<number> =>
    (await database.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'")).count;
  const query: typeof database.query = async (...statement) => {
    if (statement[2] !== "renew sessions") return await database.query(...statement);
    // Between reading what is held here and what the server sees.
    await leases.release("again");
    const renewal = database.query(...statement);
    await expect.poll(waits).toBe(1).finally(isOver.resolve);
    return await renewal;
  };
  const leases = createSessionLeases({ ...database, query }, "worker-1");
  for (const id of ["again", "locked"]) await leases.claim(id);
  // A slow append.
  const appending = database.transaction(async (queries) => {
    await queries.query("select 1 from sessions where id = 'locked' for update");
    locked.resolve();
    await isOver.promise;
    await leases.claim("again");
  });
  await locked.promise;
  expect([await leases.renew(), leases.fenceOf("again")]).toEqual([[], 2]);
  await appending;
  await store.close();
});

it("a session that nobody holds although its turn has no end in the log is taken over, to be ended", async () => {
  await database.empty();
  const leases = createSessionLeases(database, "worker-1");
  const store = await openPostgresEventStore({ database, owner: "worker-1", ...leases });
  for (const id of ["ended", "left"]) {
    await leases.claim(id);
    await store.createSession({ id, workspace: "/w", createdAt: 1 });
    const start = { type: "turn-start", turnId: id, lane: "sim", model: "auto", workspace: "/w", prompt: "?" } as const;
    await store.append(id, 0, [{ turnId: id, event: start }]);
  }
  const end = { type: "turn-end", outcome: { kind: "completed" } } as const;
  await store.append("ended", 1, [{ turnId: "ended", event: end }]);
  for (const id of ["ended", "left"]) await leases.release(id);
  const other = createSessionLeases(database, "worker-2");
  expect([await other.takeExpired(), await other.takeExpired()]).toEqual([["left"], []]);
  await store.close();
});

it("what held a session before leaves it to the turn that has begun in the same worker meanwhile", async () => {
  await database.empty();
  const store = await openPostgresEventStore({ database });
  await store.createSession({ id: "s", workspace: "/w", createdAt: 1 });
  await database.query("update sessions set owner = 'lost', lease_until = now() - interval '1 second'");
  const leases = createSessionLeases(database, "worker-1");
  await leases.takeExpired();
  const taken = leases.fenceOf("s");
  await leases.claim("s");
  leases.abandon("s", taken);
  await leases.release("s", taken);
  const { rows } = await database.query("select owner, fence from sessions");
  expect([rows, leases.fenceOf("s")]).toEqual([[{ owner: "worker-1", fence: 2 }], 2]);
  await store.close();
});
