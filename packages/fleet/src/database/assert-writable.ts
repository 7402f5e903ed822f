import { randomBytes, randomUUID } from "node:crypto";
import { CaretError } from "@caret/protocol";
import type { Database } from "./open-database.ts";

/** More than fits into the free space of a page. */
const PROBE_BYTES = 64 * 1024;
const PROBE_MS = 5_000;

/**
 * Rejects if the database takes no writes: it is unreachable, full, a standby or read-only. Tries a write and rolls it back. A write that
 * failed on a full disk a moment ago counts as well, since a small write can still succeed.
 */
export async function assertWritable(database: Database): Promise<void> {
  const full = database.diskFull();
  if (full !== undefined) throw full;
  const late = AbortSignal.timeout(PROBE_MS);
  const isLate = new Promise<never>((_, reject) => {
    late.addEventListener("abort", () => reject(new CaretError("storage-failed", "The database does not answer")));
  });
  await Promise.race([tryWrite(database), isLate]);
}

class TakenBack extends Error {}

async function tryWrite(database: Database): Promise<void> {
  const probe = [`probe ${randomUUID()}`, randomBytes(PROBE_BYTES / 2).toString("hex")];
  try {
    await database.transaction(async (queries) => {
      const sql = "insert into openers (owner, role, machine, version) values ($1, 'guest', $2, '')";
      await queries.query(sql, probe, "probe");
      throw new TakenBack();
    });
  } catch (reason) {
    // The write succeeded and was rolled back.
    if (!(reason instanceof TakenBack)) throw reason;
  }
}
