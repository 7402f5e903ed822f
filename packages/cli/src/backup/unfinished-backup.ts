import { existsSync } from "node:fs";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";

/** Where a copy is until it is whole. */
export const UNFINISHED = ".incomplete";

/** Rejects a directory in which a backup was interrupted: Caret would begin a new log beside what is there of the old one. */
export function assertWholeDirectory(dataDir: string): void {
  if (!existsSync(join(dataDir, UNFINISHED))) return;
  throw new CaretError("storage-failed", `${dataDir} is a backup that was not finished, and no data directory`, {
    fix: "Run `caret backup` again with the same directory, or remove it.",
  });
}
