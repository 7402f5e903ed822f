import type { DatabaseSync } from "node:sqlite";
import { CaretError } from "@caret/protocol";
import { copyDatabase } from "./copy-database.ts";
import { toStorageError } from "./storage-error.ts";

/**
 * Copies the log to `FILE.schema-VERSION` next to it before the schema changes: only the Caret that wrote the log can read the former
 * schema. An existing copy of the same version is from an interrupted attempt and is replaced.
 */
export function backUpLog(database: DatabaseSync, path: string, version: number): void {
  try {
    copyDatabase(database, `${path}.schema-${version}`);
  } catch (reason) {
    const { code, message } = toStorageError(reason);
    throw new CaretError(code, `The event log could not be copied before its migration: ${message}`, {
      cause: reason,
      fix: "Free as much disk space as the log takes, then start Caret again. The log is unchanged.",
    });
  }
}
