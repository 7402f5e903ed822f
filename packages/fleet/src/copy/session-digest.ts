import { createHash } from "node:crypto";
import { type CopiedStore, eventPages } from "./copied-store.ts";
import {
  type CopiedRow,
  type CopiedTable,
  eventTable,
  newestTable,
  sessionTable,
  transcriptTable,
  turnTable,
  usageTable,
} from "./copied-tables.ts";

/** Digest of a session; equal in two stores if and only if the session is. */
export interface SessionDigest {
  readonly events: number;
  /** Transcripts of the stateless doors. */
  readonly transcripts: number;
  /** Number of the first missing event. Absent if none is missing. */
  readonly gapAt?: number;
  readonly sha256: string;
}

/** Undefined if the session does not exist. */
export async function digestSession(store: CopiedStore, sessionId: string): Promise<SessionDigest | undefined> {
  const found = await store.readSession(sessionId);
  if (found === undefined) return undefined;
  const hash = createHash("sha256");
  const add = (table: CopiedTable, rows: readonly CopiedRow[]): void => {
    for (const row of rows) hash.update(`${JSON.stringify(table.columns.map((column) => row[column] ?? null))}\n`);
  };
  add(sessionTable, [found.session]);
  add(turnTable, found.turns);
  add(usageTable, found.usages);
  add(transcriptTable, found.transcripts);
  add(newestTable, found.newest);
  let events = 0;
  let gapAt: number | undefined;
  for await (const page of eventPages(store, sessionId)) {
    for (const row of page) if (row["seq"] !== ++events) gapAt ??= events;
    add(eventTable, page);
  }
  if (gapAt === undefined && events < Number(found.session["last_seq"])) gapAt = events + 1;
  const transcripts = found.transcripts.length;
  return { events, transcripts, ...(gapAt === undefined ? {} : { gapAt }), sha256: hash.digest("hex") };
}
