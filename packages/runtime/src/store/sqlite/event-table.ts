import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ReadOptions, StoredEvent } from "../../engine/event-store.ts";
import { parseEvent } from "../parse-event.ts";
import type { Row } from "./row.ts";

const DEFAULT_LIMIT = 1_000;

export interface EventTable {
  insert(stored: StoredEvent, data: string): void;
  read(sessionId: string, options: ReadOptions): readonly StoredEvent[];
  /** Deletes so many of a session's oldest events. Says whether there are more. */
  removeSome(sessionId: string, count: number): boolean;
}

export function createEventTable(database: DatabaseSync): EventTable {
  const insert = database.prepare("insert into event values (?, ?, ?, ?, ?, ?, ?)");
  const oldest = database.prepare("select min(seq) as seq from event where session_id = ?");
  const removeUpTo = database.prepare("delete from event where session_id = ? and seq < ?");
  const withRaw = prepareReads(database, "*");
  const withoutRaw = prepareReads(database, "session_id, seq, turn_id, at, data, null as raw, 0 as raw_cut");

  return {
    insert({ sessionId, seq, turnId, at, raw, rawCut }, data) {
      insert.run(sessionId, seq, turnId, at, data, raw ?? null, Number(rawCut ?? false));
    },
    removeSome(sessionId, count) {
      const first = oldest.get(sessionId)?.["seq"] ?? null;
      if (first === null) return false;
      removeUpTo.run(sessionId, Number(first) + count);
      return true;
    },
    read(sessionId, { afterSeq = 0, beforeSeq, limit = DEFAULT_LIMIT, raw = true }) {
      const { after, before } = raw ? withRaw : withoutRaw;
      const rows =
        beforeSeq === undefined
          ? after.all(sessionId, afterSeq, limit)
          : before.all(sessionId, beforeSeq, limit).reverse();
      return rows.map(toStoredEvent);
    },
  };
}

function prepareReads(
  database: DatabaseSync,
  columns: string,
): { readonly after: StatementSync; readonly before: StatementSync } {
  const from = `select ${columns} from event where session_id = ?`;
  return {
    after: database.prepare(`${from} and seq > ? order by seq limit ?`),
    before: database.prepare(`${from} and seq < ? order by seq desc limit ?`),
  };
}

function toStoredEvent(row: Row): StoredEvent {
  return {
    sessionId: String(row["session_id"]),
    seq: Number(row["seq"]),
    turnId: String(row["turn_id"]),
    at: Number(row["at"]),
    event: parseEvent(parseJson(String(row["data"]))),
    ...(row["raw"] === null ? {} : { raw: String(row["raw"]) }),
    ...(row["raw_cut"] === 1 ? { rawCut: true } : {}),
  };
}

function parseJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    // Not even JSON: kept as the text it is, so that a person can still look at it.
    return data;
  }
}
