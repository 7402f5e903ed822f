import type { DatabaseSync } from "node:sqlite";
import { type AgentEvent, agentEventSchema } from "@caret/protocol";
import type { StoredEvent } from "../../engine/event-store.ts";
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
    event: toEvent(String(row["data"])),
    ...(row["raw"] === null ? {} : { raw: String(row["raw"]) }),
    ...(row["raw_cut"] === 1 ? { rawCut: true } : {}),
  };
}

/** What another release wrote and this one does not know becomes an `unknown` event: a log can always be read. */
function toEvent(data: string): AgentEvent {
  const value = parseJson(data);
  const parsed = agentEventSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  return { type: "unknown", source: "store", label: labelOf(value), value };
}

function parseJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    // Not even JSON: kept as the text it is, so that a person can still look at it.
    return data;
  }
}

function labelOf(value: unknown): string {
  const type = typeof value === "object" && value !== null ? (value as Row)["type"] : undefined;
  return typeof type === "string" ? type : "unreadable";
}
