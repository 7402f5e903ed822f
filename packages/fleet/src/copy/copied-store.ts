import type { CopiedRow, CopiedTable } from "./copied-tables.ts";

/** A session without its events. */
export interface CopiedSession {
  readonly session: CopiedRow;
  readonly turns: readonly CopiedRow[];
  readonly usages: readonly CopiedRow[];
  /** Transcripts of the stateless doors that the session has answered, and the one it goes on from. */
  readonly transcripts: readonly CopiedRow[];
  readonly newest: readonly CopiedRow[];
}

/** A store that can be copied row by row, from or to. */
export interface CopiedStore {
  /** Shown to people. */
  readonly place: string;
  /** Throws `session-busy` while turns run: the copy would miss what they write. */
  assertIdle(): Promise<void>;
  sessionIds(): Promise<readonly string[]>;
  /** Undefined if the session does not exist. */
  readSession(sessionId: string): Promise<CopiedSession | undefined>;
  readEvents(sessionId: string, afterSeq: number, limit: number): Promise<readonly CopiedRow[]>;
  /** Usage of turns whose sessions were deleted. */
  readLostUsages(): Promise<readonly CopiedRow[]>;
  readShared(table: CopiedTable): Promise<readonly CopiedRow[]>;
  /** Atomic even if the process dies, except that SQLite can be left with the transcripts alone, which do no harm. */
  writeSession(session: CopiedSession, events: AsyncIterable<readonly CopiedRow[]>): Promise<void>;
  /** Atomic. Existing rows are left alone. */
  writeShared(usages: readonly CopiedRow[], tables: ReadonlyMap<CopiedTable, readonly CopiedRow[]>): Promise<void>;
  close(): Promise<void>;
}

const PAGE = 500;

/** Yields all events of a session in pages, oldest first. */
export async function* eventPages(
  store: Pick<CopiedStore, "readEvents">,
  sessionId: string,
): AsyncGenerator<readonly CopiedRow[]> {
  for (let afterSeq = 0; ; ) {
    const page = await store.readEvents(sessionId, afterSeq, PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    afterSeq = Number(last["seq"]);
  }
}
