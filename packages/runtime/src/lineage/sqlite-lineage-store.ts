import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { CaretError } from "@caret/protocol";
import { openDatabase } from "../store/sqlite/open-database.ts";
import { makePrivateDirectory, makePrivateFile } from "../store/sqlite/private-files.ts";
import type { LineageRecord, LineageStore } from "./lineage-store.ts";

const LINEAGE_FILE = "lineage.db";
const DAY_MS = 24 * 60 * 60 * 1000;
/** A conversation that rests for longer begins a new session when it goes on. */
const KEPT_DAYS = 60;

const tables = `
  create table if not exists transcript (
    hash text primary key,
    session_id text not null,
    turn_id text not null,
    count integer not null,
    heard_before integer not null,
    at integer not null,
    outcome text,
    is_contested integer not null
  );
  create index if not exists transcript_session on transcript (session_id);
  create table if not exists scope (
    scope text primary key,
    system_id text not null,
    system_hash text not null,
    system_length integer not null,
    tool_count integer not null,
    at integer not null
  );
`;

export interface SqliteLineageStoreOptions {
  /** The data directory; made when missing. */
  readonly directory: string;
  readonly now?: () => number;
}

/**
 * Survives a restart. It is an index that can be lost without losing a word, since the log holds what was said: so no
 * client waits for the disk here.
 */
export function openSqliteLineageStore({ directory, now = Date.now }: SqliteLineageStoreOptions): LineageStore {
  const path = join(directory, LINEAGE_FILE);
  try {
    makePrivateDirectory(directory);
    makePrivateFile(path);
    const database = openDatabase(path, { survives: "process" });
    database.exec(tables);
    const oldest = now() - KEPT_DAYS * DAY_MS;
    database.prepare("delete from transcript where at < ?").run(oldest);
    database.prepare("delete from scope where at < ?").run(oldest);
    return storeOn(database, now);
  } catch (reason) {
    if (CaretError.is(reason)) throw reason;
    throw new CaretError("storage-failed", `The index of transcripts (${LINEAGE_FILE}) cannot be opened`, {
      cause: reason,
      fix: `Remove ${LINEAGE_FILE} from the data directory: it is only an index, and is made again.`,
    });
  }
}

function storeOn(database: DatabaseSync, now: () => number): LineageStore {
  const find = database.prepare("select * from transcript where hash = ?");
  // A row that is replaced gets a new rowid, so the highest one of a session is its newest.
  const findNewest = database.prepare("select * from transcript where session_id = ? order by rowid desc limit 1");
  const save = database.prepare("insert or replace into transcript values (?, ?, ?, ?, ?, ?, ?, ?)");
  const settle = database.prepare("update transcript set outcome = ? where hash = ? and turn_id = ?");
  const forget = database.prepare("delete from transcript where session_id = ?");
  const findScope = database.prepare("select * from scope where scope = ?");
  const saveScope = database.prepare("insert or replace into scope values (?, ?, ?, ?, ?, ?)");
  return {
    get: (hash) => toRecord(find.get(hash)),
    put(hash, { sessionId, turnId, count, heardBefore, at, outcome, isContested }) {
      save.run(hash, sessionId, turnId, count, heardBefore, at, outcome ?? null, isContested === true ? 1 : 0);
    },
    newest: (sessionId) => toRecord(findNewest.get(sessionId)),
    settle: (hash, turnId, outcome) => void settle.run(outcome, hash, turnId),
    getScope(scope) {
      const row = findScope.get(scope);
      if (row === undefined) return undefined;
      return {
        systemId: String(row["system_id"]),
        systemHash: String(row["system_hash"]),
        systemLength: Number(row["system_length"]),
        toolCount: Number(row["tool_count"]),
      };
    },
    putScope(scope, { systemId, systemHash, systemLength, toolCount }) {
      saveScope.run(scope, systemId, systemHash, systemLength, toolCount, now());
    },
    forget: (sessionId) => void forget.run(sessionId),
    close: () => database.close(),
  };
}

function toRecord(row: Readonly<Record<string, unknown>> | undefined): LineageRecord | undefined {
  if (row === undefined) return undefined;
  const record: LineageRecord = {
    sessionId: String(row["session_id"]),
    turnId: String(row["turn_id"]),
    count: Number(row["count"]),
    heardBefore: Number(row["heard_before"]),
    at: Number(row["at"]),
    ...(row["is_contested"] === 1 ? { isContested: true } : {}),
  };
  const outcome = row["outcome"];
  return outcome === null ? record : { ...record, outcome: outcome as NonNullable<LineageRecord["outcome"]> };
}
