import type { LineageRecord } from "./lineage-store.ts";

/** Parses a row of either store; `is_contested` is 1 in SQLite, true in PostgreSQL. */
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
    ...(typeof sent === "string" ? toSent(sent) : {}),
  };
}

/** Prefix of a digest of the whole transcript. Older Carets treat it as one more sent line. */
const SAID = "said=";

/** The form in which both stores keep the digests of what was sent: a single text. */
export function sentText({ sent, said }: Pick<LineageRecord, "sent" | "said">): string | null {
  if (sent === undefined && said === undefined) return null;
  return [...(said === undefined ? [] : [`${SAID}${said}`]), ...(sent ?? [])].join(" ");
}

function toSent(text: string): Pick<LineageRecord, "sent" | "said"> {
  const digests = text.split(" ").filter((digest) => digest !== "");
  const said = digests.find((digest) => digest.startsWith(SAID))?.slice(SAID.length);
  const sent = digests.filter((digest) => !digest.startsWith(SAID));
  return { sent, ...(said === undefined ? {} : { said }) };
}
