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

/** What a session amounts to: the same in two stores when all of it is the same. */
export interface SessionDigest {
  readonly events: number;
  /** Of the stateless doors. */
  readonly transcripts: number;
  /** The number of the first event that is missing; absent: none is. */
  readonly gapAt?: number;
  readonly sha256: string;
}

/** Undefined when there is no such session. */
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
