import type { DatabaseSync } from "node:sqlite";
import { corruption } from "./storage-error.ts";

/** Throws what SQLite itself throws for a damaged file, so that there is one way to recognise one. */
export function assertSound(database: DatabaseSync): void {
  const found = database.prepare("pragma quick_check(1)").get()?.["quick_check"];
  if (found !== "ok") throw corruption(String(found));
}
