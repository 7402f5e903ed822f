import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CaretError, type ErrorInfo } from "@caret/protocol";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { expect, it } from "vitest";
import { createPatience } from "../log/patience.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { assertWritable } from "./assert-writable.ts";
import { readDatabaseAddress } from "./database-address.ts";
import { isUnknownCommit } from "./database-error.ts";
import { type Database, type Listener, openDatabase } from "./open-database.ts";

let database: TestDatabase;
let listener: Promise<Listener> | undefined;
shareTestDatabase((opened) => {
  database = opened;
});

/** A statement that fails with this PostgreSQL error code. */
const raising = (code: string): string => `do $$ begin raise exception 'told to' using errcode = '${code}'; end $$`;

/** Every path to the server. The commit fails on a deferred constraint. */
const ways: Readonly<Record<string, (code: string) => Promise<unknown>>> = {
  query: (code) => database.query(raising(code)),
  "statement of a transaction": (code) => database.transaction((queries) => queries.query(raising(code))),
  commit: (code) =>
    database.transaction(async (queries) => {
      await queries.query(`
        create temporary table late (id integer) on commit drop;
        create function pg_temp.raise_late() returns trigger language plpgsql as $f$
          begin raise exception 'told to' using errcode = '${code}'; end $f$;
        create constraint trigger late after insert on late deferrable initially deferred
          for each row execute function pg_temp.raise_late()`);
      await queries.query("insert into late values (1)");
    }),
  listener: async (code) => {
    listener ??= database.connect(
      () => undefined,
      () => undefined,
    );
    return await (await listener).query(raising(code));
  },
  "retried transaction": (code) => {
    const patience = createPatience();
    patience.limit(0);
    return patience.retry(() => database.transaction((queries) => queries.query(raising(code))));
  },
};

async function errorOf(work: Promise<unknown>): Promise<ErrorInfo> {
  const reason = await work.then(
    () => "resolved",
    (thrown: unknown) => thrown,
  );
  if (!CaretError.is(reason)) throw new Error("Not an error of ours", { cause: reason });
  return reason.toInfo();
}

/** Every class of the standard and of PostgreSQL, with a code that has a meaning and one that has none. */
const classes =
  "02 03 08 09 0A 0B 0F 0L 0P 0Z 20 21 22 23 24 25 26 27 28 2B 2D 2F 34 38 39 3B 3D 3F 40 42 44 53 54 55 57 58 72 F0 HV P0 XX";
const named =
  "53100 53200 53300 53400 25006 25P02 25P03 40001 40003 40P01 42501 42P01 42703 42883 55000 55P03 57014 57P01 57P02 57P03 57P04 58030";
const numbers = isFullRun() ? ["001", "Z99"] : ["Z99"];
const codes = [...classes.split(" ").flatMap((each) => numbers.map((number) => each + number)), ...named.split(" ")];
/** The server is gone: the outcome of a commit is unknown. */
const isLoss = (code: string): boolean => /^08|^53300|^57P0[123]/.test(code);

/** Errors of all paths except the commit of a lost connection. A call that retried says that it waited. */
async function saidOf(code: string): Promise<readonly ErrorInfo[]> {
  const said = new Map<string, ErrorInfo>();
  for (const [way, fail] of Object.entries(ways)) {
    const info = await errorOf(fail(code));
    if (way === "commit" && isLoss(code))
      expect(info, code).toMatchObject({ code: "storage-failed", retryable: false });
    else said.set(JSON.stringify(info.code === "overloaded" ? { ...info, message: "" } : info), info);
  }
  return [...said.values()];
}

it("says the same of an error of PostgreSQL on every way to it, whatever its code, and never that Caret has a bug", async () => {
  for (const code of codes) {
    const said = await saidOf(code);
    expect(said, code).toHaveLength(1);
    // A value that no column takes, or a violated constraint, is a bug.
    expect(said[0]?.code === "internal", code).toBe(/^2[23]/.test(code));
  }
  await (await listener)?.end();
});

it.each([
  ["53100", { code: "storage-full", retryable: true }],
  ["25006", { code: "storage-failed", retryable: true, message: expect.stringContaining("takes no writes") }],
  ["53300", { code: "storage-failed", retryable: true }],
  ["57P01", { code: "storage-failed", retryable: true }],
  ["40P01", { code: "overloaded", retryable: true }],
  ["42P01", { code: "storage-failed", fix: expect.stringContaining("`caret store init`") }],
  ["42501", { code: "storage-failed", fix: expect.stringContaining("`caret store roles --print`") }],
] as const)("says of %s what it is, in a transaction as outside of one", async (code, expected) => {
  expect(await errorOf(ways["query"]?.(code) ?? Promise.resolve())).toMatchObject(expected);
  const inside = ways["statement of a transaction"]?.(code) ?? Promise.resolve();
  expect(await errorOf(inside)).toMatchObject(expected);
});

it("says of a database that is set to read-only that it takes no writes, and of one that cannot be reached or entered why", async () => {
  await database.query("alter database caret_test set default_transaction_read_only = on");
  const address = (change: (url: string) => string): Database =>
    openDatabase(readDatabaseAddress(change(database.url)));
  const standby = address((url) => url);
  const insert = "insert into openers (owner, role, machine, version) values ('a', 'guest', 'm', '1')";
  const attempts = [() => standby.query(insert), () => standby.transaction((queries) => queries.query(insert))];
  for (const attempt of attempts)
    expect(await errorOf(attempt())).toMatchObject({ code: "storage-failed", retryable: true });
  await standby.transaction(async (queries) => {
    await queries.query("set transaction read write");
    await queries.query("alter database caret_test reset default_transaction_read_only");
  });
  await standby.close();
  for (const [change, expected] of [
    [
      (url: string) => url.replace("/caret_test", "/none"),
      { retryable: false, message: expect.stringContaining("refuses") },
    ],
    [
      (url: string) => url.replace("caret@", "nobody@"),
      { retryable: false, message: expect.stringContaining("refuses") },
    ],
    [(url: string) => `${url}/gone`, { retryable: true, message: expect.stringContaining("cannot be reached") }],
  ] as const) {
    const other = address(change);
    const never = () => undefined;
    const asked = [() => other.query("select 1"), () => other.transaction(async () => undefined)];
    for (const ask of [...asked, () => other.connect(never, never)])
      expect(await errorOf(ask())).toMatchObject({ code: "storage-failed", ...expected });
    await other.close();
  }
});

it("tells by a write that is taken back whether the database takes any, and remembers one that was refused", async () => {
  const writable = openDatabase(readDatabaseAddress(database.url), { maxConnections: 1 });
  await assertWritable(writable);
  await writable.close();
  expect((await database.query("select count(*)::int as count from openers where owner like 'probe%'")).rows).toEqual([
    { count: 0 },
  ]);
  const other = openDatabase(readDatabaseAddress(database.url), { maxConnections: 1 });
  await other.query("set default_transaction_read_only = on");
  await expect(assertWritable(other)).rejects.toMatchObject({ code: "storage-failed", retryable: true });
  await other.query("set default_transaction_read_only = off");
  await expect(other.query(raising("53100"))).rejects.toMatchObject({ code: "storage-full" });
  await expect(assertWritable(other)).rejects.toMatchObject({ code: "storage-full" });
  await other.close();
});

it("does not advise to repeat what may have been committed: the connection was lost before the server said so", async () => {
  const lost = database.transaction(async (queries) => {
    const { rows } = await queries.query("select pg_backend_pid() as pid");
    await queries.query(`create temporary table late (id integer) on commit drop;
      create function pg_temp.die() returns trigger language plpgsql as $f$
        begin perform pg_terminate_backend(${Number(rows[0]?.["pid"])}); return null; end $f$;
      create constraint trigger late after insert on late deferrable initially deferred
        for each row execute function pg_temp.die();
      insert into late values (1)`);
  });
  const reason = await lost.catch((thrown: unknown) => thrown);
  expect([isUnknownCommit(reason), await errorOf(Promise.reject(reason))]).toMatchObject([
    true,
    { code: "storage-failed", retryable: false },
  ]);
});

it("one file alone speaks to PostgreSQL, so that no way goes past the translation of its errors", () => {
  const packages = join(import.meta.dirname, "../../..");
  const users = globSync("*/src/**/*.ts", { cwd: packages }).filter((path) =>
    /from "(pg|pg-cursor|pg-copy-streams|postgres)"/.test(readFileSync(join(packages, path), "utf8")),
  );
  expect(users.filter((path) => !path.includes(".test."))).toEqual(["fleet/src/database/open-database.ts"]);
});
