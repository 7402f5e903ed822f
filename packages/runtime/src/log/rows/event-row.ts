import { type CommandRecord, parseJson } from "@caret/protocol";
import type { StoredEvent } from "../event-store.ts";
import { parseEvent } from "../stored-event.ts";
import { isTrue, type Row } from "./row.ts";

export function toStoredEvent(row: Row): StoredEvent {
  return {
    sessionId: String(row["session_id"]),
    seq: Number(row["seq"]),
    turnId: String(row["turn_id"]),
    at: Number(row["at"]),
    // Invalid JSON is kept as text, so a person can still look at it.
    event: parseEvent(parseJson(String(row["data"]), String(row["data"]))),
    ...(row["raw"] === null ? {} : { raw: String(row["raw"]) }),
    ...(isTrue(row["raw_cut"]) ? { rawCut: true } : {}),
  };
}

export function toCommandRecord(row: Row): CommandRecord {
  const record = { digest: String(row["digest"]), sessionId: String(row["session_id"]) };
  if (row["turn_id"] === null) return record;
  return { ...record, turn: { turnId: String(row["turn_id"]), firstSeq: Number(row["first_seq"]) } };
}
