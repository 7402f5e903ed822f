import { describeLineageStore, lineageSessions } from "@caret/runtime/conversations/matching/lineage-store.contract.ts";
import type { LineageStore } from "@caret/runtime/conversations/matching/lineage-store.ts";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { openPostgresEventStore, type PostgresLogStore } from "../log/postgres-event-store.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { createPostgresLineageStore, type PostgresLineageStoreOptions } from "./postgres-lineage-store.ts";

let database: TestDatabase;
let log: PostgresLogStore;

shareTestDatabase((opened) => {
  database = opened;
});
beforeAll(async () => {
  log = await openPostgresEventStore({ database });
});
afterAll(async () => {
  await log.close();
});
afterEach(() => database.empty());

async function open(options: Partial<PostgresLineageStoreOptions> = {}): Promise<LineageStore> {
  for (const id of lineageSessions)
    if ((await log.getSession(id)) === undefined) await log.createSession({ id, workspace: "/w", createdAt: 1 });
  return createPostgresLineageStore({ database, machine: "one", ...options });
}

describeLineageStore(
  "PostgreSQL",
  () => open(),
  (sessionId) => log.deleteSession(sessionId),
);

const record = { sessionId: "s1", turnId: "t1", count: 1, heardBefore: 0, at: Date.now() };
const put = (store: LineageStore, hash: string, inLog: Promise<unknown> = Promise.resolve()): Promise<void> =>
  store.remember({ scope: "scope", hash, record, scopes: new Map(), inLog });
const get = async (store: LineageStore, hash: string) =>
  (await store.look({ scope: "scope", scopes: [], chains: () => [[hash]] })).get(hash);

it("shows to every worker what one has written, where the session stands and whether it is on another machine", async () => {
  const [one, other] = [await open({ machine: "one" }), await open({ machine: "other" })];
  await put(one, "a");
  await database.query("update sessions set home_machine = 'one', last_seq = 7 where id = 's1'");
  const known = { ...record, isNewest: true };
  expect([await get(one, "a"), await get(other, "a")]).toEqual([
    { ...known, session: { lastSeq: 7, isElsewhere: false } },
    { ...known, session: { lastSeq: 7, isElsewhere: true } },
  ]);
});

it("writes a transcript once its session is in the log, and none whose turn never got there", async () => {
  const store = await open();
  const [begun, failed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const written = [put(store, "a", begun.promise), put(store, "b", failed.promise)];
  const looked = get(store, "a");
  begun.resolve();
  failed.reject(new Error("no such turn"));
  await Promise.all(written);
  expect([(await looked)?.turnId, await get(store, "b")]).toEqual(["t1", undefined]);
});

it("refuses what a worker writes after another one has taken its session over", async () => {
  const store = await open({ fenceOf: () => 4 });
  await database.query("update sessions set fence = 4 where id = 's1'");
  await put(store, "a");
  await database.query("update sessions set fence = 5 where id = 's1'");
  await put(store, "b");
  expect([(await get(store, "a"))?.isNewest, await get(store, "b")]).toEqual([true, undefined]);
});

it("knows the end of a turn from the log when its worker died before it wrote it down here", async () => {
  const store = await open();
  await log.append("s1", 0, [
    { turnId: "t1", event: { type: "turn-start", turnId: "t1", lane: "sim" } },
    { turnId: "t1", event: { type: "turn-end", outcome: { kind: "completed" } } },
  ]);
  await put(store, "a");
  expect((await get(store, "a"))?.outcome).toBe("completed");
});

it("knows nothing of a session that was deleted, as soon as nobody sees it any more", async () => {
  const store = await open();
  await put(store, "a");
  await database.query("update sessions set hidden = 'removed' where id = 's1'");
  expect(await get(store, "a")).toBeUndefined();
  await database.query("delete from sessions where id = 's1'");
  expect(
    (await database.query("select hash from lineage_transcripts union select hash from lineage_newest")).rows,
  ).toEqual([]);
});

it("knows a contested transcript of a session that is being deleted, without taking it for one that can go on", async () => {
  const store = await open();
  await put(store, "a");
  const contesting = { ...record, sessionId: "s2", turnId: "t2" };
  await store.remember({ scope: "scope", hash: "a", record: contesting, scopes: new Map(), inLog: Promise.resolve() });
  await database.query("update sessions set hidden = 'removed' where id = 's2'");
  expect(await get(store, "a")).toEqual({ ...contesting, isContested: true, isNewest: false });
});

it("forgets transcripts that nobody has gone on with for two months", async () => {
  const store = await open();
  await put(store, "a");
  const later = await open({ now: () => Date.now() + 61 * 24 * 60 * 60 * 1000 });
  await put(later, "b");
  await expect.poll(async () => (await database.query("select hash from lineage_transcripts")).rows).toEqual([]);
});

it("takes one statement to look and one to remember, however long the transcript is", async () => {
  const statements: string[] = [];
  const counting = {
    ...database,
    query: (...asked: Parameters<typeof database.query>) => {
      statements.push(asked[2] ?? "");
      return database.query(...asked);
    },
  };
  const store = await open({ database: counting });
  const chain = Array.from({ length: 500 }, (_, index) => `link ${index}`);
  await store.look({ scope: "scope", scopes: ["scope"], chains: () => [chain, chain.map((link) => `side ${link}`)] });
  await put(store, "a");
  await store.settle({ scope: "scope", hash: "a" }, "t1", "completed");
  expect(statements.filter((name) => name !== "")).toEqual([
    "look up transcript",
    "remember transcript",
    "settle transcript",
  ]);
});
