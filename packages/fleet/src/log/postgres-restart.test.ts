import type { EventEntry, EventStore, LogWriter } from "@caret/runtime/log/event-store.ts";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { openPostgresEventStore, type PostgresEventStoreOptions } from "./postgres-event-store.ts";

let server: PostgresServer;
let database: TestDatabase;
const opened: EventStore[] = [];

beforeAll(async () => {
  server = await startPostgres({ fsync: true });
  database = await createTestDatabase(server);
});
afterAll(async () => {
  await database.close();
  await server.stop();
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  await database.empty();
});

async function open(options: Partial<PostgresEventStoreOptions> = {}): Promise<EventStore> {
  const store = await openPostgresEventStore({ database, ...options });
  opened.push(store);
  return store;
}

const says = (text: string): EventEntry => ({ turnId: "t1", event: { type: "text-delta", blockId: "b1", text } });
const session = (id: string) => ({ id, workspace: "/w", createdAt: 1 });
const textOf = async (store: EventStore, id: string): Promise<string> =>
  (await store.read(id)).map(({ event }) => (event.type === "text-delta" ? event.text : "")).join("");

it("writes each event once and in order while the server is restarted and crashes", async () => {
  const store = await open();
  const ids = ["s1", "s2", "s3", "s4"];
  for (const id of ids) await store.createSession(session(id));
  const count = 150;
  let faults = 0;
  const fail = (): Promise<void> => {
    faults += 1;
    return faults % 2 === 0 ? server.restart() : server.crash();
  };
  const writeAll = async (id: string): Promise<void> => {
    const writer: LogWriter = {};
    const writes: Promise<unknown>[] = [];
    for (let seq = 0; seq < count; seq++) {
      writes.push(store.append(id, seq, [says(`${seq},`)], { keepTrying: true, writer }));
      // Waits for one now and then, so appends are in progress whenever the server ends.
      if (seq % 5 === 0) await writes.at(-1);
      if (id === "s1" && seq % 50 === 25) await fail();
    }
    await Promise.all(writes);
  };
  await Promise.all(ids.map(writeAll));
  const expected = Array.from({ length: count }, (_, seq) => `${seq},`).join("");
  expect([faults, await Promise.all(ids.map((id) => textOf(store, id)))]).toEqual([3, ids.map(() => expected)]);
});

it("refuses the appends of a worker that has lost its lease, and all that follow", async () => {
  let fence = 1;
  const store = await open({ fenceOf: () => fence });
  await store.createSession(session("s1"));
  await database.query("update sessions set fence = 1");
  const writer: LogWriter = {};
  await store.append("s1", 0, [says("mine,")], { writer });
  await database.query("update sessions set fence = 2");
  const late = [1, 1, 1].map((seq) => store.append("s1", seq, [says("late,")], { writer, keepTrying: true }));
  expect(await Promise.allSettled(late)).toMatchObject(late.map(() => ({ reason: { code: "session-busy" } })));
  fence = 2;
  await expect(store.append("s1", 1, [says("later,")], { writer })).rejects.toMatchObject({ code: "session-busy" });
  await store.append("s1", 1, [says("theirs")]);
  expect(await textOf(store, "s1")).toBe("mine,theirs");
});

it("lets one of two processes append at each place, and tells the other that the session has moved on", async () => {
  const stores = [await open(), await open()];
  await stores[0]?.createSession(session("s1"));
  let [taken, refused] = [0, 0];
  for (let round = 0; round < 20; round++) {
    const before = taken;
    const race = await Promise.allSettled(stores.map((store) => store.append("s1", before, [says(`${before},`)])));
    taken += race.filter(({ status }) => status === "fulfilled").length;
    refused += race.filter((each) => each.status === "rejected" && each.reason.code === "session-busy").length;
  }
  expect([taken, refused]).toEqual([20, 20]);
  const [one] = stores;
  expect(one && (await one.read("s1")).map(({ seq }) => seq)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
});

it("tells a process that another one has written, lives, or has left", async () => {
  const [one, other] = [await open({ owner: "one" }), await open({ owner: "other" })];
  const before = await one.foreignVersion();
  await other.createSession(session("s1"));
  await expect.poll(() => one.foreignVersion()).not.toBe(before);
  await one.runningTurns();
  expect([one.isOwnerAlive("one"), one.isOwnerAlive("other"), one.isOwnerAlive("nobody")]).toEqual([true, true, false]);
  await other.close();
  await one.runningTurns();
  expect(one.isOwnerAlive("other")).toBe(false);
});

it("removes what a process that died had staged", async () => {
  const one = await open({ owner: "one" });
  await one.createSession(session("s1"), { staged: true });
  // Announcing its commit also marks it as alive.
  const announced = async () => (await database.query("select commits from openers where owner = 'one'")).rows;
  await expect.poll(announced, { interval: 5 }).toEqual([{ commits: 1 }]);
  await database.query("update openers set seen_at = now() - interval '1 minute' where owner = 'one'");
  const other = await open({ owner: "other" });
  await other.removeLeftovers();
  expect((await database.query("select id from sessions")).rows).toEqual([]);
});

it("makes the partition of a month that nobody has made ahead", async () => {
  const store = await open();
  await store.createSession(session("s1"));
  const { rows } = await database.query(
    "select string_agg(format('drop table %s', inhrelid::regclass), ';') as sql from pg_inherits where inhparent = 'events'::regclass",
  );
  await database.query(String(rows[0]?.["sql"]));
  await store.append("s1", 0, [says("a")]);
  expect(await textOf(store, "s1")).toBe("a");
});
