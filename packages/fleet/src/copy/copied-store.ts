import type { CopiedRow, CopiedTable } from "./copied-tables.ts";

/** A session without its events. */
export interface CopiedSession {
  readonly session: CopiedRow;
  readonly turns: readonly CopiedRow[];
  readonly usages: readonly CopiedRow[];
  /** Transcripts of the stateless doors that it has answered, and the one that it goes on from. */
  readonly transcripts: readonly CopiedRow[];
  readonly newest: readonly CopiedRow[];
}

/** A store that can be copied row by row, from or to. */
export interface CopiedStore {
  /** For people. */
  readonly place: string;
  /** Throws `session-busy` while turns run: what they write would be missing in the copy. */
  assertIdle(): Promise<void>;
  sessionIds(): Promise<readonly string[]>;
  /** Undefined when there is none. */
  readSession(sessionId: string): Promise<CopiedSession | undefined>;
  readEvents(sessionId: string, afterSeq: number, limit: number): Promise<readonly CopiedRow[]>;
  /** What turns of deleted sessions consumed. */
  readLostUsages(): Promise<readonly CopiedRow[]>;
  readShared(table: CopiedTable): Promise<readonly CopiedRow[]>;
  /** All of it or nothing: whatever ends the process meanwhile. */
  writeSession(session: CopiedSession, events: AsyncIterable<readonly CopiedRow[]>): Promise<void>;
  /** All of it or nothing. Rows that are there already stay as they are. */
  writeShared(usages: readonly CopiedRow[], tables: ReadonlyMap<CopiedTable, readonly CopiedRow[]>): Promise<void>;
  close(): Promise<void>;
}

const PAGE = 500;

/** All events of a session, oldest first, page by page. */
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
