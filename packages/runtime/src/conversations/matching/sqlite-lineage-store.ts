import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { CaretError } from "@caret/protocol";
import { inTransaction, openDatabase } from "../../log/sqlite/open-database.ts";
import { openRenewableStore } from "../../log/sqlite/renewable-store.ts";
import { makePrivateDirectory, makePrivateFile } from "../../paths/private-files.ts";
import type { LineageRecord, LineageStore } from "./lineage-store.ts";

const LINEAGE_FILE = "lineage.db";
const DAY_MS = 24 * 60 * 60 * 1000;
/** A conversation that rests for longer begins a new session when it goes on. */
const KEPT_DAYS = 60;

/** What the column `sent` was called up to 0.1. */
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
  /** The data directory; made when missing. */
  readonly directory: string;
  readonly now?: () => number;
  /** Hears that the index was damaged and is made again. */
  readonly onDamage?: (error: CaretError) => void;
}

/** Nobody waits for another process here: there is one gateway for a data directory. */
const BUSY_MS = 50;

/**
 * Survives a restart. It is an index that can be lost without losing a word, since the log holds what was said: so no
 * client waits for the disk here, and one that is damaged, found so at the start or later, is put aside and made again.
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
  return {
    get: (hash) => use((each) => each.get(hash)),
    put: (hash, record) => use((each) => each.put(hash, record)),
    newest: (sessionId) => use((each) => each.newest(sessionId)),
    settle: (hash, turnId, outcome) => use((each) => each.settle(hash, turnId, outcome)),
    getScope: (scope) => use((each) => each.getScope(scope)),
    putScope: (scope, record) => use((each) => each.putScope(scope, record)),
    together: (write) => use((each) => each.together(write)),
    forget: (sessionId) => use((each) => each.forget(sessionId)),
    close,
  };
}

function openStore(path: string, now: () => number): LineageStore {
  makePrivateFile(path);
  const database = openDatabase(path, { survives: "process", busyTimeoutMs: BUSY_MS });
  try {
    if (columnsOf(database, "transcript").includes(FORMER_COLUMN))
      database.exec(`alter table transcript rename column ${FORMER_COLUMN} to sent`);
    if (isOfEarlierCaret(database)) database.exec("drop table transcript; drop table scope;");
    database.exec(tables);
    const oldest = now() - KEPT_DAYS * DAY_MS;
    database.prepare("delete from transcript where at < ?").run(oldest);
    database.prepare("delete from newest where at < ?").run(oldest);
    database.prepare("delete from scope where at < ?").run(oldest);
    return storeOn(database, now);
  } catch (reason) {
    database.close();
    throw reason;
  }
}

/** Such an index is dropped: every conversation is sent whole once more. Tables of others are not touched. */
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

function storeOn(database: DatabaseSync, now: () => number): LineageStore {
  const find = database.prepare("select * from transcript where hash = ?");
  // Not the session's last row that is left: a later transcript may belong to another session by now, and was heard all the same.
  const findNewest = database.prepare(
    "select transcript.* from newest join transcript using (hash, session_id) where newest.session_id = ?",
  );
  const saveNewest = database.prepare("insert or replace into newest values (?, ?, ?)");
  const save = database.prepare("insert or replace into transcript values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const settle = database.prepare("update transcript set outcome = ? where hash = ? and turn_id = ?");
  const forget = database.prepare("delete from transcript where session_id = ?");
  const forgetNewest = database.prepare("delete from newest where session_id = ?");
  const findScope = database.prepare("select * from scope where scope = ?");
  const saveScope = database.prepare("insert or replace into scope values (?, ?, ?, ?, ?)");
  const store: LineageStore = {
    get: (hash) => toRecord(find.get(hash)),
    put(hash, record) {
      const { sessionId, turnId, count, heardBefore, at, outcome = null, request = null, shape = null } = record;
      const contested = record.isContested === true ? 1 : 0;
      const sent = record.sent?.join(" ") ?? null;
      // Before the record: a session whose newest transcript is missing does not go on.
      saveNewest.run(sessionId, hash, at);
      save.run(hash, sessionId, turnId, count, heardBefore, at, outcome, contested, request, shape, sent);
    },
    newest: (sessionId) => toRecord(findNewest.get(sessionId)),
    settle: (hash, turnId, outcome) => void settle.run(outcome, hash, turnId),
    getScope(scope) {
      const row = findScope.get(scope);
      if (row === undefined) return undefined;
      return {
        systemId: String(row["system_id"]),
        toolCount: Number(row["tool_count"]),
        hasShownTools: row["has_shown_tools"] === 1,
      };
    },
    putScope(scope, { systemId, toolCount, hasShownTools }) {
      saveScope.run(scope, systemId, toolCount, hasShownTools ? 1 : 0, now());
    },
    together: (write) => inTransaction(database, () => write(store)),
    forget(sessionId) {
      forget.run(sessionId);
      forgetNewest.run(sessionId);
    },
    close: () => database.close(),
  };
  return store;
}

function toRecord(row: Readonly<Record<string, unknown>> | undefined): LineageRecord | undefined {
  if (row === undefined) return undefined;
  const { outcome, request, shape, sent } = row;
  return {
    sessionId: String(row["session_id"]),
    turnId: String(row["turn_id"]),
    count: Number(row["count"]),
    heardBefore: Number(row["heard_before"]),
    at: Number(row["at"]),
    ...(outcome === null ? {} : { outcome: outcome as NonNullable<LineageRecord["outcome"]> }),
    ...(row["is_contested"] === 1 ? { isContested: true } : {}),
    ...(typeof request === "string" ? { request } : {}),
    ...(typeof shape === "string" ? { shape } : {}),
    ...(typeof sent === "string" ? { sent: sent.split(" ").filter((digest) => digest !== "") } : {}),
  };
}
