import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { makePrivateFile } from "../../paths/private-files.ts";

/**
 * Takes a consistent snapshot of a database, whole or not at all, and syncs the copy. Others may keep writing: later commits are not in
 * the copy.
 */
export function copyDatabase(database: DatabaseSync, copy: string): void {
  const draft = `${copy}.tmp`;
  try {
    rmSync(draft, { force: true });
    // SQLite accepts an empty file, which already has its permissions.
    makePrivateFile(draft);
    database.prepare("vacuum into ?").run(draft);
    syncFile(draft);
    renameSync(draft, copy);
  } catch (reason) {
    rmSync(draft, { force: true });
    throw reason;
  }
}

/** The same for a database that is not open here. */
export function copyDatabaseFile(path: string, copy: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    copyDatabase(database, copy);
  } finally {
    database.close();
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
