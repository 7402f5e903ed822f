import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { CaretError } from "@caret/protocol";
import { inTransaction, openDatabase } from "../../log/sqlite/open-database.ts";
import { openRenewableStore } from "../../log/sqlite/renewable-store.ts";
import { makePrivateDirectory, makePrivateFile } from "../../paths/private-files.ts";
import { sentText, toLineageRecord } from "./lineage-row.ts";
import {
  type AnsweredTranscript,
  type KnownTranscript,
  LINEAGE_KEPT_MS,
  type LineageRecord,
  type LineageStore,
  type LineageView,
} from "./lineage-store.ts";

export const LINEAGE_FILE = "lineage.db";

/** Name of the column `sent` up to 0.1. */
const FORMER_COLUMN = "told";

const tables = `
  create table if not exists transcript (
    hash text primary key,
    session_id text not null,
    turn_id text not null,
    count integer not null,
    heard_before integer not null,
    at integer not null,
    outcome text,
    is_contested integer not null,
    request text,
    shape text,
    sent text
  );
  create index if not exists transcript_session on transcript (session_id);
  create table if not exists newest (
    session_id text primary key,
    hash text not null,
    at integer not null
  );
  create table if not exists scope (
    scope text primary key,
    system_id text not null,
    tool_count integer not null,
    has_shown_tools integer not null,
    at integer not null
  );
`;

export interface SqliteLineageStoreOptions {
  /** The data directory; created if missing. */
  readonly directory: string;
  readonly now?: () => number;
  /** Called when the index was damaged and is recreated. */
  readonly onDamage?: (error: CaretError) => void;
}

/** Short, because there is only one gateway per data directory. */
const BUSY_MS = 50;

/**
 * Survives a restart. The index can be lost without losing content, since the log has it: so no client waits for the disk here, and a
 * damaged index, found at the start or later, is put aside and recreated.
 */
export function openSqliteLineageStore({
  directory,
  now = Date.now,
  onDamage = () => undefined,
}: SqliteLineageStoreOptions): LineageStore {
  const { use, close } = openRenewableStore({
    path: join(directory, LINEAGE_FILE),
    open: (path) => openStore(path, now),
    now,
    onDamage: (keptAs, reason) => onDamage(damaged(keptAs, reason)),
  });
  makePrivateDirectory(directory);
  use(() => undefined);
  const unwritten = createUnwritten();
  // Read on demand, once per key: nothing else writes between a look and the decision based on it.
  const createView = (): LineageView => ({
    get: once((hash) =>
      unwritten.correct(
        hash,
        use((each) => each.get(hash)),
      ),
    ),
    getScope: once((scope) => use((each) => each.getScope(scope))),
  });
  return {
    look: async () => createView(),
    // Before its session is in the log: an index entry for a missing session is detected when it is used.
    remember: async (answered) => unwritten.watch(answered, () => use((each) => each.remember(answered))),
    settle: async ({ hash }, turnId, outcome) => use((each) => each.settle(hash, turnId, outcome)),
    forget: async (sessionId) => use((each) => each.forget(sessionId)),
    close: async () => close(),
  };
}

/**
 * Transcripts whose rows could not be written, because another process held the file or the disk was full. Without this, an older record
 * would count as its session's newest, or as the only one of its transcript: no session continues from either.
 */
function createUnwritten() {
  const hashes = new Set<string>();
  const sessions = new Set<string>();
  return {
    watch({ hash, record: { sessionId } }: AnsweredTranscript, write: () => void): void {
      try {
        write();
        sessions.delete(sessionId);
      } catch (reason) {
        hashes.add(hash);
        sessions.add(sessionId);
        throw reason;
      }
    },
    correct(hash: string, known: KnownTranscript | undefined): KnownTranscript | undefined {
      if (known === undefined) return undefined;
      const isNewest = known.isNewest && !sessions.has(known.sessionId);
      return { ...known, isNewest, ...(hashes.has(hash) ? { isContested: true } : {}) };
    },
  };
}

function once<Found>(read: (key: string) => Found): (key: string) => Found {
  const found = new Map<string, Found>();
  return (key) => {
    if (!found.has(key)) found.set(key, read(key));
    return found.get(key) as Found;
  };
}

/** The index in one open file, until that is found damaged. */
interface OpenIndex extends LineageView {
  remember(answered: AnsweredTranscript): void;
  settle(hash: string, turnId: string, outcome: NonNullable<LineageRecord["outcome"]>): void;
  forget(sessionId: string): void;
  close(): void;
}

function openStore(path: string, now: () => number): OpenIndex {
  makePrivateFile(path);
  const database = openDatabase(path, { survives: "process", busyTimeoutMs: BUSY_MS });
  try {
    if (columnsOf(database, "transcript").includes(FORMER_COLUMN))
      database.exec(`alter table transcript rename column ${FORMER_COLUMN} to sent`);
    if (isOfEarlierCaret(database)) database.exec("drop table transcript; drop table scope;");
    database.exec(tables);
    const oldest = now() - LINEAGE_KEPT_MS;
    database.prepare("delete from transcript where at < ?").run(oldest);
    database.prepare("delete from newest where at < ?").run(oldest);
    database.prepare("delete from scope where at < ?").run(oldest);
    return storeOn(database, now);
  } catch (reason) {
    database.close();
    throw reason;
  }
}

/** Such an index is dropped: every conversation is sent whole once more. Foreign tables are left alone. */
function isOfEarlierCaret(database: DatabaseSync): boolean {
  const columns = columnsOf(database, "transcript");
  const isWhole = columns.includes("sent") && columnsOf(database, "newest").length > 0;
  return columns.includes("is_contested") && !isWhole;
}

function columnsOf(database: DatabaseSync, table: string): readonly unknown[] {
  const rows = database.prepare("select name from pragma_table_info(?)").all(table);
  return rows.map((row) => row["name"]);
}

function damaged(name: string, cause: unknown): CaretError {
  const message = `The index of transcripts was damaged and is made again; the old one was kept as ${name}`;
  return new CaretError("storage-failed", message, {
    cause,
    fix: "Nothing has to be done: conversations that go on begin new sessions, and no event is lost.",
  });
}

function storeOn(database: DatabaseSync, now: () => number): OpenIndex {
  // Not simply the session's last remaining row: a later transcript may belong to another session by now, but this session has heard it.
  const find = database.prepare(`
    select transcript.*, exists (
      select 1 from newest join transcript as last using (hash, session_id)
      where session_id = transcript.session_id and last.turn_id = transcript.turn_id
    ) as is_newest from transcript where hash = ?
  `);
  const saveNewest = database.prepare("insert or replace into newest values (?, ?, ?)");
  const save = database.prepare("insert or replace into transcript values (?, ?, ?, ?, ?, ?, null, ?, ?, ?, ?)");
  const settle = database.prepare("update transcript set outcome = ? where hash = ? and turn_id = ?");
  // Contested transcripts were also answered by other sessions, whose clients may still continue from them.
  const forget = database.prepare("delete from transcript where session_id = ? and is_contested = 0");
  const forgetNewest = database.prepare("delete from newest where session_id = ?");
  const findScope = database.prepare("select * from scope where scope = ?");
  const saveScope = database.prepare("insert or replace into scope values (?, ?, ?, ?, ?)");

  const put = ({ hash, record }: AnsweredTranscript): void => {
    const { sessionId, turnId, count, heardBefore, at, request = null, shape = null } = record;
    const known = find.get(hash);
    const isContested = known !== undefined && (known["is_contested"] === 1 || known["session_id"] !== sessionId);
    // Before the record: a session whose newest transcript is missing does not continue.
    saveNewest.run(sessionId, hash, at);
    const contested = Number(isContested);
    save.run(hash, sessionId, turnId, count, heardBefore, at, contested, request, shape, sentText(record));
  };

  return {
    get: (hash) => toKnown(find.get(hash)),
    getScope(scope) {
      const row = findScope.get(scope);
      if (row === undefined) return undefined;
      return {
        systemId: String(row["system_id"]),
        toolCount: Number(row["tool_count"]),
        hasShownTools: row["has_shown_tools"] === 1,
      };
    },
    remember: (answered) =>
      inTransaction(database, () => {
        put(answered);
        for (const [scope, { systemId, toolCount, hasShownTools }] of answered.scopes)
          saveScope.run(scope, systemId, toolCount, Number(hasShownTools), now());
      }),
    settle: (hash, turnId, outcome) => void settle.run(outcome, hash, turnId),
    forget(sessionId) {
      forget.run(sessionId);
      forgetNewest.run(sessionId);
    },
    close: () => database.close(),
  };
}

function toKnown(row: Readonly<Record<string, unknown>> | undefined): KnownTranscript | undefined {
  if (row === undefined) return undefined;
  return { ...toLineageRecord(row), isNewest: row["is_newest"] === 1 };
}
