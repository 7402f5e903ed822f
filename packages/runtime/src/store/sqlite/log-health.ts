import type { DatabaseSync } from "node:sqlite";
import { corruption } from "./storage-error.ts";

/** A log without a mark is a new one. */
export function wasClosedCleanly(database: DatabaseSync): boolean {
  const marked = database.prepare("select 1 from sqlite_schema where name = 'store_state'").get();
  if (marked === undefined) return true;
  return database.prepare("select clean from store_state").get()?.["clean"] === 1;
}

export function markOpened(database: DatabaseSync): void {
  database.exec("update store_state set clean = 0");
}

/** Spares the next start its check. */
export function markClosed(database: DatabaseSync): void {
  database.exec("update store_state set clean = 1");
}

/** Throws what SQLite itself throws for a damaged file, so that there is one way to recognise one. */
export function assertSound(database: DatabaseSync): void {
  const found = database.prepare("pragma quick_check(1)").get()?.["quick_check"];
  if (found !== "ok") throw corruption(String(found));
}
