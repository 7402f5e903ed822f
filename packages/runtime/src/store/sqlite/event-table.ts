import type { DatabaseSync } from "node:sqlite";
import type { StoredEvent } from "../../engine/event-store.ts";
import { parseEvent } from "../parse-event.ts";
import type { Row } from "./row.ts";

export interface EventTable {
  insert(stored: StoredEvent, data: string): void;
  read(sessionId: string, afterSeq: number, limit: number): readonly StoredEvent[];
}

export function createEventTable(database: DatabaseSync): EventTable {
  const insert = database.prepare("insert into event values (?, ?, ?, ?, ?, ?, ?)");
  const select = database.prepare("select * from event where session_id = ? and seq > ? order by seq limit ?");

  return {
    insert({ sessionId, seq, turnId, at, raw, rawCut }, data) {
      insert.run(sessionId, seq, turnId, at, data, raw ?? null, Number(rawCut ?? false));
    },
    read: (sessionId, afterSeq, limit) => select.all(sessionId, afterSeq, limit).map(toStoredEvent),
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
