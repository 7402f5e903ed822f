import { existsSync, renameSync } from "node:fs";
import { basename } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { CaretError } from "@caret/protocol";

/** Older versions can corrupt a WAL database that is written and checkpointed at the same moment. */
const OLDEST_SQLITE = [3, 51, 3] as const;
const DEFAULT_BUSY_TIMEOUT_MS = 5_000;

export interface OpenDatabaseOptions {
  /** How long to wait while another process writes. */
  readonly busyTimeoutMs?: number | undefined;
  /** `process`: commits do not wait for the disk; a power cut can cost the last ones, but never the file. */
  readonly survives?: "power-cut" | "process";
}

const levels = { "power-cut": { name: "full", number: 2 }, process: { name: "normal", number: 1 } } as const;

/** Sets `synchronous` and reads it back: some builds silently weaken it in WAL mode, and then a power cut loses commits. */
export function openDatabase(
  path: string,
  { busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS, survives = "power-cut" }: OpenDatabaseOptions = {},
): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  try {
    assertVersion(database);
    const level = levels[survives];
    database.exec(`pragma trusted_schema = off; pragma journal_mode = wal; pragma synchronous = ${level.name}`);
    assertPragma(database, "journal_mode", "wal");
    assertPragma(database, "synchronous", level.number);
    return database;
  } catch (reason) {
    database.close();
    throw reason;
  }
}

export function isNewEnough(version: string): boolean {
  const parts = version.split(".").map(Number);
  const different = OLDEST_SQLITE.findIndex((oldest, index) => oldest !== parts[index]);
  return different === -1 || (parts[different] ?? 0) > (OLDEST_SQLITE[different] ?? 0);
}

function assertVersion(database: DatabaseSync): void {
  const version = String(database.prepare("select sqlite_version() as version").get()?.["version"]);
  if (!isNewEnough(version))
    throw new CaretError(
      "storage-failed",
      `This Node carries SQLite ${version}; Caret needs ${OLDEST_SQLITE.join(".")}`,
      {
        fix: "Use a newer Node: 22.22.3, 24.15, or any after those.",
      },
    );
}

function assertPragma(database: DatabaseSync, name: string, expected: unknown): void {
  const found = database.prepare(`pragma ${name}`).get()?.[name];
  if (found !== expected)
    throw new CaretError("storage-failed", `SQLite refused ${name} = ${expected} and kept ${found}`, {
      fix: "Put the data directory on a local disk.",
    });
}

interface Transaction {
  readonly begin: StatementSync;
  readonly commit: StatementSync;
}

const transactions = new WeakMap<DatabaseSync, Transaction>();

/** Prepared once per connection; `exec` would parse them each time. */
export function transactionOf(database: DatabaseSync): Transaction {
  const known = transactions.get(database);
  if (known !== undefined) return known;
  // `immediate` takes the write lock before reading, so nothing read can be outdated.
  const prepared = { begin: database.prepare("begin immediate"), commit: database.prepare("commit") };
  transactions.set(database, prepared);
  return prepared;
}

export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  const { begin, commit } = transactionOf(database);
  begin.run();
  try {
    const result = work();
    commit.run();
    return result;
  } catch (reason) {
    rollBack(database);
    throw reason;
  }
}

function rollBack(database: DatabaseSync): void {
  try {
    // On a full disk SQLite rolls back by itself.
    if (database.isTransaction) database.exec("rollback");
  } catch {
    // The original error says more than the failed rollback, and the connection is replaced afterwards.
  }
}

/** Moves an unusable database and its journals aside, so it can be examined and a new one can take its place. Returns its new name. */
export function setAside(path: string, now: () => number): string {
  const aside = `${path}.corrupt-${new Date(now()).toISOString().replaceAll(":", "-")}`;
  for (const suffix of ["", "-wal", "-shm", "-journal"])
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  return basename(aside);
}
