import type { LineageRecord } from "./lineage-store.ts";

/** A row of either store. Where it says so, several sessions have answered the transcript: 1 in SQLite, true in PostgreSQL. */
export function toLineageRecord(row: Readonly<Record<string, unknown>>): LineageRecord {
  const { outcome, request, shape, sent } = row;
  return {
    sessionId: String(row["session_id"]),
    turnId: String(row["turn_id"]),
    count: Number(row["count"]),
    heardBefore: Number(row["heard_before"]),
    at: Number(row["at"]),
    ...(outcome === null ? {} : { outcome: outcome as NonNullable<LineageRecord["outcome"]> }),
    ...(Number(row["is_contested"]) === 1 ? { isContested: true } : {}),
    ...(typeof request === "string" ? { request } : {}),
    ...(typeof shape === "string" ? { shape } : {}),
    ...(typeof sent === "string" ? { sent: sent.split(" ").filter((digest) => digest !== "") } : {}),
  };
}

/** As both stores keep digests of what was sent: in one text. */
export function sentText(sent: readonly string[] | undefined): string | null {
  return sent?.join(" ") ?? null;
}
