import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeLineageStore } from "./lineage-store.contract.ts";
import type { LineageStore } from "./lineage-store.ts";
import { openSqliteLineageStore } from "./sqlite-lineage-store.ts";
import { createMemoryLineageStore } from "./testing/memory-lineage-store.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-lineage-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

describeLineageStore("SQLite", () => openSqliteLineageStore({ directory }));

const record = { sessionId: "s1", turnId: "t1", count: 1, heardBefore: 0, at: 1_000 };

it("knows the same as the store in memory, whatever was answered by whom and forgotten [review 2 F9]", () => {
  const act = fc.record({
    kind: fc.constantFrom("put", "put", "put", "settle", "forget"),
    hash: fc.constantFrom("a", "ab", "abc"),
    sessionId: fc.constantFrom("s1", "s2"),
    turnId: fc.constantFrom("t1", "t2", "t3"),
  });
  const play = (store: LineageStore, acts: readonly (typeof act extends fc.Arbitrary<infer Act> ? Act : never)[]) => {
    for (const { kind, hash, sessionId, turnId } of acts) {
      if (kind === "put") store.put(hash, { ...record, sessionId, turnId });
      else if (kind === "settle") store.settle(hash, turnId, "completed");
      else store.forget(sessionId);
    }
    return { records: ["a", "ab", "abc"].map(store.get), newest: ["s1", "s2"].map(store.newest) };
  };
  const sqlite = openSqliteLineageStore({ directory });
  const property = fc.property(fc.array(act, { maxLength: 12 }), (acts) => {
    sqlite.forget("s1");
    sqlite.forget("s2");
    expect(play(sqlite, acts)).toEqual(play(createMemoryLineageStore(), acts));
  });
  fc.assert(property, { numRuns: 100 });
  sqlite.close();
});

it("remembers across a restart, in a file that is ours alone", () => {
  const first = openSqliteLineageStore({ directory, now: () => 1_000 });
  first.put("a", record);
  first.close();
  const second = openSqliteLineageStore({ directory, now: () => 2_000 });
  expect([second.get("a"), statSync(join(directory, "lineage.db")).mode & 0o777]).toEqual([record, 0o600]);
  second.close();
});

it("keeps the index of the version that called the column `sent` otherwise", () => {
  const first = openSqliteLineageStore({ directory, now: () => 1_000 });
  first.put("a", { ...record, sent: ["x", "y"] });
  first.close();
  const database = new DatabaseSync(join(directory, "lineage.db"));
  database.exec("alter table transcript rename column sent to told");
  database.close();
  const second = openSqliteLineageStore({ directory, now: () => 2_000 });
  expect(second.get("a")).toEqual({ ...record, sent: ["x", "y"] });
  second.close();
});

it("begins again, without calling it damage, when an earlier Caret has written the index", () => {
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
  store.put("b", record);
  expect({ old: store.get("a"), kept: store.get("b"), damages }).toEqual({ old: undefined, kept: record, damages: [] });
  store.close();
});

it("forgets transcripts that nobody has gone on with for two months", () => {
  const first = openSqliteLineageStore({ directory, now: () => 1_000 });
  first.put("a", record);
  first.close();
  const second = openSqliteLineageStore({ directory, now: () => 1_001 + 60 * 24 * 60 * 60 * 1000 });
  expect(second.get("a")).toBeUndefined();
  second.close();
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
])("is made again when the file %s, and the old one is kept [defect 28]", (_, spoil) => {
  spoil();
  const damages: string[] = [];
  const store = openSqliteLineageStore({ directory, onDamage: ({ message }) => damages.push(message) });
  store.put("a", record);
  expect({ kept: store.get("a"), damages: damages.length, aside: aside().length }).toEqual({
    kept: record,
    damages: 1,
    aside: 1,
  });
  store.close();
});

it("is made again when the damage is found only while it is used [defect 28]", () => {
  const first = openSqliteLineageStore({ directory });
  for (let index = 0; index < 2_000; index += 1) first.put(`hash-${index}`, { ...record, sessionId: `s${index}` });
  first.close();
  const path = join(directory, "lineage.db");
  const bytes = readFileSync(path);
  bytes.fill(0x5a, 4096 * 8);
  writeFileSync(path, bytes);
  const store = openSqliteLineageStore({ directory, now: () => 1_000 });
  for (let index = 0; index < 2_000; index += 1) store.get(`hash-${index}`);
  store.put("a", record);
  expect({ kept: store.get("a"), aside: aside().length }).toEqual({ kept: record, aside: 1 });
  store.close();
});

function aside(): readonly string[] {
  return readdirSync(directory).filter((name) => /^lineage\.db\.corrupt-[^-]+-[^-]+-[^-]+-[^-]+-[^-]+Z$/.test(name));
}
