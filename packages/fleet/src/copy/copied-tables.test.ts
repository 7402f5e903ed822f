import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { LINEAGE_FILE, openSqliteLineageStore } from "@caret/runtime/conversations/matching/sqlite-lineage-store.ts";
import { LOG_FILE, openSqliteEventStore } from "@caret/runtime/log/sqlite/sqlite-event-store.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import {
  eventTable,
  LINEAGE,
  newestTable,
  sessionTable,
  sharedTables,
  transcriptTable,
  turnTable,
  usageTable,
} from "./copied-tables.ts";

const copied = [eventTable, newestTable, sessionTable, transcriptTable, turnTable, usageTable, ...sharedTables];

/** Columns that a copy rebuilds or leaves out, and why. */
const leftOut: Readonly<Record<"sqlite" | "postgres", Readonly<Record<string, string>>>> = {
  sqlite: {
    // Pending deletion and search progress belong to each store.
    session: "hidden hidden_owner said_seq",
    // Each store numbers them itself, in the same order.
    message: "number",
  },
  postgres: {
    // As above, plus who holds it and its machine.
    sessions: "hidden hidden_owner said_seq incarnation fence owner lease_until home_machine",
    events: "fence written",
    // SQLite reads it from the turn's first event, and so does the copy to PostgreSQL.
    logged_turns: "client",
    // At the prices of the copy's day: SQLite stores none.
    turn_usages: "priced",
    messages: "number",
    // A generated column.
    lineage_transcripts: "deleted_with",
  },
};

/** The search index, which fills up again, and the version of the tables. */
const remadeInSqlite = ["said", "said_word", "schema_migration"];
/** Also what gateways and workers exchange, and what stays where it is. */
const remadeInPostgres =
  "api_blobs api_conversations commands comparisons kept_answers kept_items live_batches members openers running_turns said schema_migrations tokens turns work";

let directory: string;
let database: TestDatabase;
shareTestDatabase((opened) => {
  database = opened;
});
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "caret-columns-"));
  await openSqliteEventStore({ directory, role: "gateway" }).close();
  await openSqliteLineageStore({ directory }).close();
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Every table with its columns, named as the copy names it. */
function tablesOfSqlite(): ReadonlyMap<string, readonly string[]> {
  using file = new DatabaseSync(join(directory, LOG_FILE));
  file.prepare(`attach database ? as ${LINEAGE}`).run(join(directory, LINEAGE_FILE));
  const columnsOf = (schema: string, prefix: string) =>
    file
      .prepare(
        `select list.name as name, json_group_array(info.name) as columns
         from pragma_table_list as list, pragma_table_info(list.name, list.schema) as info
         where list.schema = ? and list.type in ('table', 'virtual') and list.name not like 'sqlite_%' group by 1`,
      )
      .all(schema)
      .map(({ name, columns }) => [`${prefix}${String(name)}`, JSON.parse(String(columns)) as string[]] as const);
  return new Map([...columnsOf("main", ""), ...columnsOf(LINEAGE, `${LINEAGE}.`)]);
}

async function tablesOfPostgres(): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await database.query(
    `select relname as name, array_agg(attname::text) as columns from pg_class join pg_attribute on attrelid = pg_class.oid
     where relnamespace = 'caret'::regnamespace and relkind in ('r', 'p') and not relispartition and attnum > 0 and not attisdropped
     group by 1`,
  );
  return new Map(rows.map(({ name, columns }) => [String(name), columns as readonly string[]]));
}

it.each(["sqlite", "postgres"] as const)(
  "every table and column of %s is copied, or said to be left out",
  async (store) => {
    const found = store === "sqlite" ? tablesOfSqlite() : await tablesOfPostgres();
    const remade = store === "sqlite" ? remadeInSqlite : remadeInPostgres.split(" ");
    expect([...found.keys()].toSorted()).toEqual([...copied.map((table) => table[store]), ...remade].toSorted());
    for (const table of copied) {
      const known = [...table.columns, ...(leftOut[store][table[store]]?.split(" ") ?? [])];
      expect([table[store], [...(found.get(table[store]) ?? [])].toSorted()]).toEqual([table[store], known.toSorted()]);
    }
  },
);
