import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { openDatabase, readDatabaseAddress } from "@caret/fleet";
import { shareTestDatabase } from "@caret/fleet/testing/share-test-database.ts";
import type { TestDatabase } from "@caret/fleet/testing/test-database.ts";
import { CaretError } from "@caret/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { untilReachable } from "./until-reachable.ts";

const SOCKET = ".s.PGSQL.5432";

let database: TestDatabase;
let directory: string;
let stderr: PassThrough;
shareTestDatabase((opened) => {
  database = opened;
});
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-late-"));
  stderr = new PassThrough();
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Connects to the database by a socket in the directory of this test. */
async function connect(): Promise<number> {
  const here = new URL(database.url);
  here.searchParams.set("host", directory);
  const late = openDatabase(readDatabaseAddress(here.href));
  try {
    return (await late.query("select 1 as one")).count;
  } finally {
    await late.close();
  }
}

it("a start whose database is away says so once, and goes on when it is there", async () => {
  const said: string[] = [];
  stderr.on("data", (text: Buffer) => {
    said.push(text.toString());
    symlinkSync(join(new URL(database.url).searchParams.get("host") ?? "", SOCKET), join(directory, SOCKET));
  });
  expect(await untilReachable({ stderr }, connect)).toBe(1);
  expect(said).toEqual([
    expect.stringMatching(/^PostgreSQL cannot be reached: connect ENOENT .*\. Waiting up to 60 s for it\.\n$/),
  ]);
});

it("a start whose database stays away fails of that", async () => {
  await expect(untilReachable({ stderr }, connect, 600)).rejects.toMatchObject({ code: "storage-failed" });
});

it("a start that fails of anything else is not tried again", async () => {
  let starts = 0;
  const start = async (): Promise<never> => {
    starts += 1;
    throw new CaretError("invalid-config", "A fleet needs `fleet.key`");
  };
  await expect(untilReachable({ stderr }, start)).rejects.toMatchObject({ code: "invalid-config" });
  expect(starts).toBe(1);
});
