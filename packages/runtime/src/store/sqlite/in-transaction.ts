import type { DatabaseSync } from "node:sqlite";

/** `immediate` takes the write lock before anything is read, so that nothing read can be out of date. */
export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec("begin immediate");
  try {
    const result = work();
    database.exec("commit");
    return result;
  } catch (reason) {
    rollBack(database);
    throw reason;
  }
}

function rollBack(database: DatabaseSync): void {
  try {
    // A full disk makes SQLite roll back by itself.
    if (database.isTransaction) database.exec("rollback");
  } catch {
    // The reason that brought us here says more than the failed rollback, and the connection is replaced after it.
  }
}
