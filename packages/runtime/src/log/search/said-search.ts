import { setTimeout as sleep } from "node:timers/promises";
import type { ReadOptions, StoredEvent } from "../event-store.ts";
import type { FoundPiece, UnsaidSession } from "../rows/said-rows.ts";
import { excerptOf } from "./excerpt.ts";
import { PieceFold, type SaidPiece, saidIn, textOfPiece } from "./said-pieces.ts";
import type { CatchUpOptions, SaidPage, SaidQuery } from "./said-query.ts";
import { readTerms, type SearchTerm } from "./search-words.ts";

const DEFAULT_LIMIT = 20;
/** Characters read and indexed at once: a few milliseconds of the loop. A single event of a fast answer has 16 Ki characters. */
const CHUNK_CHARACTERS = 64 * 1024;
const FIRST_EVENTS = 8;
const MOST_EVENTS = 128;
/** Pause between sessions. A long session has already paused on its own. */
const LONGEST_PAUSE_MS = 10;

/** What a store provides for the search: its index, and the events it is built from. */
export interface SaidIndex {
  /**
   * The next sessions after this id whose index is behind, by id: as many as to index together. A running turn must have enough new events
   * to be worth it.
   */
  behind(afterId: string): Promise<readonly UnsaidSession[]>;
  /** The session, if its index is behind. */
  behindIn(sessionId: string): Promise<UnsaidSession | undefined>;
  countBehind(): Promise<number>;
  read(sessionId: string, options: ReadOptions): Promise<readonly StoredEvent[]>;
  /** Returns whether the index was still where the caller started reading: another process may have advanced it. */
  insert(session: UnsaidSession, pieces: readonly SaidPiece[], throughSeq: number): Promise<boolean>;
  find(terms: readonly SearchTerm[], query: SaidQuery & { readonly limit: number }): Promise<readonly FoundPiece[]>;
}

export async function searchSaid(
  index: Pick<SaidIndex, "find" | "read" | "countBehind">,
  { text, limit = DEFAULT_LIMIT, ...query }: SaidQuery,
): Promise<SaidPage> {
  const terms = readTerms(text);
  const found = await index.find(terms, { text, ...query, limit: limit + 1 });
  const places = found.slice(0, limit).map(async ({ sessionId, turnId, kind, firstSeq, lastSeq, at }) => {
    const range = { afterSeq: firstSeq - 1, limit: lastSeq - firstSeq + 1, raw: false };
    const excerpt = excerptOf(textOfPiece(await index.read(sessionId, range), kind), terms);
    return { sessionId, turnId, kind, seq: firstSeq, at, excerpt };
  });
  const next = found.length > limit ? { next: found[limit - 1]?.id ?? 0 } : {};
  return { places: await Promise.all(places), ...next, behind: await index.countBehind() };
}

/** Visits the sessions that are behind once, by id: those that fall behind in the meantime are left to the next call. */
export async function catchUpSaid({ sessionId, signal }: CatchUpOptions, index: SaidIndex): Promise<void> {
  if (sessionId !== undefined) {
    const session = await index.behindIn(sessionId);
    if (session !== undefined) await indexSession(session, index, signal);
    return;
  }
  let sessions = await index.behind("");
  while (sessions.length > 0 && signal?.aborted !== true) {
    const startedAt = performance.now();
    await Promise.all(sessions.map((session) => indexSession(session, index, signal)));
    await sleep(Math.min(performance.now() - startedAt, LONGEST_PAUSE_MS));
    sessions = await index.behind(sessions.at(-1)?.id ?? "");
  }
}

async function indexSession(session: UnsaidSession, index: SaidIndex, signal: AbortSignal | undefined): Promise<void> {
  const fold = new PieceFold(session.saidSeq);
  let afterSeq = session.saidSeq;
  let { saidSeq } = session;
  let limit = FIRST_EVENTS;
  for (;;) {
    const startedAt = performance.now();
    const read = await index.read(session.id, { afterSeq, limit, raw: false });
    const last = read.at(-1);
    if (last === undefined || signal?.aborted === true) return;
    afterSeq = last.seq;
    const pieces = fold.push(read);
    const { settled } = fold;
    if (settled > saidSeq && !(await index.insert({ ...session, saidSeq }, pieces, settled))) return;
    saidSeq = settled;
    if (read.length < limit) return;
    limit = lengthOf(read) > CHUNK_CHARACTERS ? Math.max(1, limit / 2) : Math.min(MOST_EVENTS, limit * 2);
    // Pause for as long, to let others run.
    await sleep(performance.now() - startedAt);
  }
}

function lengthOf(events: readonly StoredEvent[]): number {
  return events.reduce((sum, { event }) => sum + (saidIn(event)?.text.length ?? 0), 0);
}
