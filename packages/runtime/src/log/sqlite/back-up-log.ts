import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { CaretError } from "@caret/protocol";
import { makePrivateFile } from "../../paths/private-files.ts";
import { toStorageError } from "./storage-error.ts";

/**
 * Copies the log to `FILE.schema-VERSION` beside it, whole or not at all, and syncs the copy: what comes next changes the schema,
 * and only the Caret that wrote the log can read the former one. A copy of the same version is replaced, because an earlier attempt was
 * interrupted then.
 */
export function backUpLog(database: DatabaseSync, path: string, version: number): void {
  const copy = `${path}.schema-${version}`;
  const draft = `${copy}.tmp`;
  try {
    rmSync(draft, { force: true });
    // SQLite takes an empty file, which has its permissions already.
    makePrivateFile(draft);
    database.prepare("vacuum into ?").run(draft);
    syncFile(draft);
    renameSync(draft, copy);
  } catch (reason) {
    rmSync(draft, { force: true });
    const { code, message } = toStorageError(reason);
    throw new CaretError(code, `The event log could not be copied before its migration: ${message}`, {
      cause: reason,
      fix: "Free as much disk space as the log takes, then start Caret again. The log is unchanged.",
    });
  }
}

function syncFile(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
