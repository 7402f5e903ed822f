import type { DatabaseSync } from "node:sqlite";
import { CaretError } from "@caret/protocol";
import { inTransaction } from "./in-transaction.ts";
import { migrations as ours } from "./migrations/migrations.ts";

/** Bring the schema up to date. Refuses one that a newer Caret has written, before touching it. Only one process may do it at a time. */
export function migrate(database: DatabaseSync, migrations: readonly string[] = ours): void {
  database.exec("create table if not exists schema_migration (number integer not null primary key) strict");
  const row = database.prepare("select coalesce(max(number), 0) as version from schema_migration").get();
  const version = Number(row?.["version"]);
  if (version > migrations.length)
    throw new CaretError(
      "storage-failed",
      `The event log has schema version ${version}; this Caret knows versions up to ${migrations.length}`,
      { fix: "Update Caret, or choose another data directory." },
    );
  for (const sql of migrations.slice(version)) inTransaction(database, () => database.exec(sql));
}
