import { existsSync, renameSync } from "node:fs";
import { basename } from "node:path";
import { CaretError } from "@caret/protocol";

/**
 * Put a database that cannot be read aside, with its journal, so that it can be examined and the next start begins
 * anew. Returns the error to throw: an empty log must never appear without a word.
 */
export function quarantine(path: string, { now, cause }: { now: () => number; cause: unknown }): CaretError {
  const aside = `${path}.corrupt-${new Date(now()).toISOString().replaceAll(":", "-")}`;
  for (const suffix of ["", "-wal", "-shm"]) if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  return new CaretError("storage-failed", `The event log is corrupt; it was kept as ${basename(aside)}`, {
    cause,
    fix: "Start Caret again for a new log. `sqlite3 FILE .recover` may still read the old one.",
  });
}
