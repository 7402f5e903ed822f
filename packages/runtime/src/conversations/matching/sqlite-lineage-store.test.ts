import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeLineageStore } from "./lineage-store.contract.ts";
import type { LineageRecord, LineageStore } from "./lineage-store.ts";
import { openSqliteLineageStore } from "./sqlite-lineage-store.ts";
import { createMemoryLineageStore } from "./testing/memory-lineage-store.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-lineage-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

describeLineageStore("SQLite", () => openSqliteLineageStore({ directory }));

const record = { sessionId: "s1", turnId: "t1", count: 1, heardBefore: 0, at: 1_000 };
const known = { ...record, isNewest: true };

const put = (store: LineageStore, hash: string, of: LineageRecord = record): Promise<void> =>
  store.remember({ scope: "scope", hash, record: of, scopes: new Map(), inLog: Promise.resolve() });
const get = async (store: LineageStore, ...hashes: readonly string[]) => {
  const view = await store.look({ scope: "scope", scopes: [], chains: () => [hashes] });
  return hashes.map(view.get);
};

it("knows the same as the store in memory, whatever was answered by whom and forgotten", async () => {
  const act = fc.record({
    kind: fc.constantFrom("put", "put", "put", "settle", "forget"),
    hash: fc.constantFrom("a", "ab", "abc"),
    sessionId: fc.constantFrom("s1", "s2"),
    turnId: fc.constantFrom("t1", "t2", "t3"),
  });
  let runs = 0;
  const play = async (
    store: LineageStore,
    acts: readonly (typeof act extends fc.Arbitrary<infer Act> ? Act : never)[],
  ) => {
    // What is contested stays so: each run has transcripts of its own.
    const own = (hash: string): string => `${runs} ${hash}`;
    for (const { kind, hash: said, sessionId, turnId } of acts) {
      const hash = own(said);
      if (kind === "put") await put(store, hash, { ...record, sessionId, turnId });
      else if (kind === "settle") await store.settle({ scope: "scope", hash }, turnId, "completed");
      else await store.forget(sessionId);
    }
    return await get(store, own("a"), own("ab"), own("abc"));
  };
  const sqlite = openSqliteLineageStore({ directory });
  const property = fc.asyncProperty(fc.array(act, { maxLength: 12 }), async (acts) => {
    runs += 1;
    await sqlite.forget("s1");
    await sqlite.forget("s2");
    expect(await play(sqlite, acts)).toEqual(await play(createMemoryLineageStore(), acts));
  });
  await fc.assert(property, { numRuns: 100 });
  await sqlite.close();
});

it("remembers across a restart, in a file that is ours alone", async () => {
  const first = openSqliteLineageStore({ directory, now: () => 1_000 });
  await put(first, "a");
  await first.close();
  const second = openSqliteLineageStore({ directory, now: () => 2_000 });
  expect([await get(second, "a"), statSync(join(directory, "lineage.db")).mode & 0o777]).toEqual([[known], 0o600]);
  await second.close();
});

it("keeps the index of the version that called the column `sent` otherwise", async () => {
  const first = openSqliteLineageStore({ directory, now: () => 1_000 });
  await put(first, "a", { ...record, sent: ["x", "y"] });
  await first.close();
  const database = new DatabaseSync(join(directory, "lineage.db"));
  database.exec("alter table transcript rename column sent to told");
  database.close();
  const second = openSqliteLineageStore({ directory, now: () => 2_000 });
  expect(await get(second, "a")).toEqual([{ ...known, sent: ["x", "y"] }]);
  await second.close();
});

it("begins again, without calling it damage, when an earlier Caret has written the index", async () => {
  const database = new DatabaseSync(join(directory, "lineage.db"));
  database.exec(`
    create table transcript (hash text primary key, session_id text, turn_id text, count, heard_before, at, outcome, is_contested);
    create table scope (scope text primary key, system_id, system_hash, system_length, tool_count, at);
    insert into transcript values ('a', 's1', 't1', 1, 0, 1000, null, 0);
  `);
  database.close();
  const damages: string[] = [];
  const store = openSqliteLineageStore({
    directory,
    now: () => 1_000,
    onDamage: ({ message }) => damages.push(message),
  });
  await put(store, "b");
  expect({ kept: await get(store, "a", "b"), damages }).toEqual({ kept: [undefined, known], damages: [] });
  await store.close();
});

it("forgets transcripts that nobody has gone on with for two months", async () => {
  const first = openSqliteLineageStore({ directory, now: () => 1_000 });
  await put(first, "a");
  await first.close();
  const second = openSqliteLineageStore({ directory, now: () => 1_001 + 60 * 24 * 60 * 60 * 1000 });
  expect(await get(second, "a")).toEqual([undefined]);
  await second.close();
});

const garbage = "this is not a database, however long it may be".repeat(500);

it.each([
  ["is no database", () => writeFileSync(join(directory, "lineage.db"), garbage)],
  ["is a directory", () => mkdirSync(join(directory, "lineage.db"))],
  [
    "has the tables of another program",
    () => {
      const database = new DatabaseSync(join(directory, "lineage.db"));
      database.exec("create table transcript (something text); create table scope (another text)");
      database.close();
    },
  ],
])("is made again when the file %s, and the old one is kept", async (_, spoil) => {
  spoil();
  const damages: string[] = [];
  const store = openSqliteLineageStore({ directory, onDamage: ({ message }) => damages.push(message) });
  await put(store, "a");
  expect({ kept: await get(store, "a"), damages: damages.length, aside: aside().length }).toEqual({
    kept: [known],
    damages: 1,
    aside: 1,
  });
  await store.close();
});

it("is made again when the damage is found only while it is used", async () => {
  const first = openSqliteLineageStore({ directory });
  for (let index = 0; index < 2_000; index += 1)
    await put(first, `hash-${index}`, { ...record, sessionId: `s${index}` });
  await first.close();
  const path = join(directory, "lineage.db");
  const bytes = readFileSync(path);
  bytes.fill(0x5a, 4096 * 8);
  writeFileSync(path, bytes);
  const store = openSqliteLineageStore({ directory, now: () => 1_000 });
  for (let index = 0; index < 2_000; index += 1) await get(store, `hash-${index}`);
  await put(store, "a");
  expect({ kept: await get(store, "a"), aside: aside().length }).toEqual({ kept: [known], aside: 1 });
  await store.close();
});

function aside(): readonly string[] {
  return readdirSync(directory).filter((name) => /^lineage\.db\.corrupt-[^-]+-[^-]+-[^-]+-[^-]+-[^-]+Z$/.test(name));
}
