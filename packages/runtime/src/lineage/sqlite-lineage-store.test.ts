import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeLineageStore } from "./lineage-store.contract.ts";
import { openSqliteLineageStore } from "./sqlite-lineage-store.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-lineage-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

describeLineageStore("SQLite", () => openSqliteLineageStore({ directory }));

const record = { sessionId: "s1", turnId: "t1", count: 1, heardBefore: 0, at: 1_000 };

it("remembers across a restart, in a file that is ours alone", () => {
  const first = openSqliteLineageStore({ directory, now: () => 1_000 });
  first.put("a", record);
  first.close();
  const second = openSqliteLineageStore({ directory, now: () => 2_000 });
  expect([second.get("a"), statSync(join(directory, "lineage.db")).mode & 0o777]).toEqual([record, 0o600]);
  second.close();
});

it("forgets transcripts that nobody has gone on with for two months", () => {
  const first = openSqliteLineageStore({ directory, now: () => 1_000 });
  first.put("a", record);
  first.close();
  const second = openSqliteLineageStore({ directory, now: () => 1_001 + 60 * 24 * 60 * 60 * 1000 });
  expect(second.get("a")).toBeUndefined();
  second.close();
});

it("says what to do about a file that is no database", () => {
  writeFileSync(join(directory, "lineage.db"), "this is not a database, however long it may be".repeat(50));
  expect(() => openSqliteLineageStore({ directory })).toThrow(
    expect.objectContaining({ code: "storage-failed", fix: expect.stringContaining("Remove lineage.db") }),
  );
});
