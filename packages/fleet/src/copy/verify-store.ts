import { createHash } from "node:crypto";
import type { CopiedStore } from "./copied-store.ts";
import { sharedTables } from "./copied-tables.ts";
import { digestSession } from "./session-digest.ts";

export interface StoreReport {
  readonly place: string;
  readonly sessions: number;
  readonly events: number;
  /** Transcripts of the stateless doors that sessions have answered. */
  readonly transcripts: number;
  /** Sessions with missing events, each with the number of its first one. */
  readonly gaps: readonly { readonly sessionId: string; readonly seq: number }[];
  readonly agents: number;
  readonly messages: number;
  /** Over all sessions, ordered by id: equal in two stores with the same sessions. */
  readonly sha256: string;
}

/** Reads the whole store, counts and digests it. */
export async function verifyStore(
  store: CopiedStore,
  onSession: (sessionId: string, done: number, total: number) => void = () => undefined,
): Promise<StoreReport> {
  const ids = [...(await store.sessionIds())].sort();
  const hash = createHash("sha256");
  const gaps: { readonly sessionId: string; readonly seq: number }[] = [];
  let [events, transcripts] = [0, 0];
  for (const [index, sessionId] of ids.entries()) {
    const digest = await digestSession(store, sessionId);
    events += digest?.events ?? 0;
    transcripts += digest?.transcripts ?? 0;
    if (digest?.gapAt !== undefined) gaps.push({ sessionId, seq: digest.gapAt });
    hash.update(`${JSON.stringify([sessionId, digest?.sha256 ?? null])}\n`);
    onSession(sessionId, index + 1, ids.length);
  }
  const counts = await Promise.all(
    sharedTables.map(async (table) => [table.postgres, (await store.readShared(table)).length] as const),
  );
  const { agents = 0, messages = 0 } = Object.fromEntries(counts);
  const counted = { sessions: ids.length, events, transcripts, gaps, agents, messages };
  return { place: store.place, ...counted, sha256: hash.digest("hex") };
}
