import { readdirSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createWorkbench, type Workbench } from "../../process/testing/workbench.ts";
import { eventually } from "../../testing/eventually.ts";
import { type Checkpoints, createCheckpoints } from "./checkpoints.ts";

const MOST_PAGES = 4_000;

let bench: Workbench;
let database: DatabaseSync;
let checkpoints: Checkpoints;

beforeEach(() => {
  bench = createWorkbench();
  database = new DatabaseSync(bench.path("log.db"));
  database.exec("pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table said (text text)");
  checkpoints = createCheckpoints(bench.path("log.db"), MOST_PAGES);
});
afterEach(async () => {
  await checkpoints.close();
  database.close();
  bench.remove();
});

/** Enough to query the journal's length. */
const MUCH = 1_000;
const insert = (bytes: number): unknown => database.prepare("insert into said values (?)").run("x".repeat(bytes));
const journal = (): Record<string, unknown> => ({ ...database.prepare("pragma wal_checkpoint(noop)").get() });
const uncopied = (): number => Number(journal()["log"]) - Number(journal()["checkpointed"]);

it("copies a long journal into the database in a thread, after which the journal begins again", async () => {
  insert(17 * 1024 * 1024);
  checkpoints.note(MUCH, uncopied);
  await eventually(() => uncopied() === 0, "the journal is copied");
  const { size } = statSync(bench.path("log.db"));
  insert(1);
  expect({ isInDatabase: size > 17 * 1024 * 1024, pages: journal()["log"] }).toEqual({ isInDatabase: true, pages: 1 });
});

it("leaves a short journal alone", async () => {
  insert(1024 * 1024);
  const before = journal();
  checkpoints.note(MUCH, uncopied);
  await checkpoints.close();
  expect({ before, after: journal() }).toEqual({ before, after: before });
});

it("asks how long the journal is after many small commits, and not after each", async () => {
  let asked = 0;
  const count = (): number => {
    asked += 1;
    return 0;
  };
  for (let commits = 0; commits < 100; commits += 1) checkpoints.note(1, count);
  const ofMany = asked;
  checkpoints.note(MUCH, count);
  expect({ ofMany, ofALargeOne: asked - ofMany }).toEqual({ ofMany: 3, ofALargeOne: 1 });
});

it("waits with its end for a copy that has begun, and begins no other", async () => {
  insert(17 * 1024 * 1024);
  checkpoints.note(MUCH, uncopied);
  await checkpoints.close();
  const copied = uncopied();
  insert(17 * 1024 * 1024);
  checkpoints.note(MUCH, uncopied);
  await checkpoints.close();
  expect({ copied, isLeft: uncopied() > MOST_PAGES }).toEqual({ copied: 0, isLeft: true });
});

it("makes no file where the log is gone: an empty one would pass for it", async () => {
  const gone = createCheckpoints(bench.path("gone.db"));
  gone.note(MUCH, () => 17_000);
  await gone.close();
  expect(readdirSync(bench.path("")).filter((name) => name.startsWith("gone"))).toEqual([]);
});

it("copies the journal of a database whose path has signs that mean something in an address", async () => {
  const path = bench.path("50% of #1?.db");
  const odd = new DatabaseSync(path);
  odd.exec("pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table said (text text)");
  odd.prepare("insert into said values (?)").run("x".repeat(1024 * 1024));
  const copies = createCheckpoints(path);
  copies.note(MUCH, () => 17_000);
  await copies.close();
  const { log, checkpointed } = { ...odd.prepare("pragma wal_checkpoint(noop)").get() };
  odd.close();
  expect(checkpointed).toBe(log);
});
