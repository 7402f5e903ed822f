import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { LOG_FILE, openSqliteEventStore } from "@caret/runtime/log/sqlite/sqlite-event-store.ts";
import { expect, it } from "vitest";
import { eventTable, sessionTable, sharedTables, turnTable, usageTable } from "./copied-tables.ts";

/** What a copy makes again: sessions that are being deleted, how far a search index is, and the order of messages. */
const REMADE = ["session hidden", "session hidden_owner", "session said_seq", "message number"];

it("name every column of the log but those that a copy makes again", async () => {
  const directory = mkdtempSync(join(tmpdir(), "caret-columns-"));
  await openSqliteEventStore({ directory, role: "gateway" }).close();
  using database = new DatabaseSync(join(directory, LOG_FILE), { readOnly: true });
  const missing = [sessionTable, eventTable, turnTable, usageTable, ...sharedTables].flatMap(({ sqlite, columns }) =>
    database
      .prepare(`select name from pragma_table_info('${sqlite}')`)
      .all()
      .map(({ name }) => String(name))
      .filter((name) => !columns.includes(name))
      .map((name) => `${sqlite} ${name}`),
  );
  expect(missing.toSorted()).toEqual(REMADE.toSorted());
  rmSync(directory, { recursive: true });
});
