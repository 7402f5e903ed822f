import { CaretError, type CommandKey } from "@caret/protocol";
import type { StoredEvent } from "@caret/runtime/log/event-store.ts";
import type { SessionProgress } from "@caret/runtime/log/session-progress.ts";
import { codeOf } from "../database/database-error.ts";
import { keptJson, toKept } from "../database/kept-text.ts";
import type { Database, Queries } from "../database/open-database.ts";
import { recordCommand } from "./command-sql.ts";
import { deliverMessage } from "./message-sql.ts";
import type { SessionPlace } from "./session-sql.ts";
import { isRecorded, recordEvent } from "./turn-sql.ts";

export interface Append {
  readonly sessionId: string;
  readonly before: SessionPlace;
  readonly after: SessionProgress;
  readonly stored: readonly StoredEvent[];
  readonly fence: number | undefined;
  readonly command: CommandKey | undefined;
  readonly copied: boolean;
  readonly owner: string;
  readonly now: number;
}

/** Advances the session and writes its events, or does neither: the session's row is the guard. */
const appendSql = `
  with moved as (
    update sessions set last_seq = $3, updated_at = $4, last_line = $5, line_state = $6, last_turn = $7,
      last_turn_at = $8, last_outcome = $9
    where id = $1 and last_seq = $2 and incarnation = $10 and hidden is distinct from 'removed'
      and ($11::bigint is null or fence = $11)
    returning id, fence
  ), written as (
    insert into events (session_id, seq, turn_id, at, data, raw, raw_cut, fence)
    select moved.id, entry.seq, entry.turn_id, entry.at, entry.data, entry.raw, coalesce(entry.raw_cut, false), moved.fence
    from moved, json_to_recordset($12::json)
      as entry (seq bigint, turn_id text, at bigint, data text, raw text, raw_cut boolean)
  )
  select id from moved
`;

/** Returns whether the session was where it was expected; if not, nothing was written. */
export async function writeAppend(database: Database, append: Append): Promise<boolean> {
  const isPlain = append.command === undefined && !append.stored.some(isRecorded);
  const write = async (): Promise<boolean> =>
    isPlain ? await moveSession(database, append) : await writeWithBooks(database, append);
  try {
    return await write();
  } catch (reason) {
    if (!isPartitionMissing(reason)) throw reason;
    await database.query("select make_event_partitions()");
    return await write();
  }
}

/** True if an earlier attempt whose commit nobody heard of succeeded; undefined if not. */
export async function wasWritten(database: Database, { sessionId, stored }: Append): Promise<boolean | undefined> {
  const last = stored.at(-1);
  const sql = "select data, turn_id from events where session_id = $1 and seq = $2";
  const [row] = (await database.query(sql, [sessionId, last?.seq])).rows;
  return row?.["turn_id"] === last?.turnId && row?.["data"] === JSON.stringify(last?.event) ? true : undefined;
}

async function writeWithBooks(database: Database, append: Append): Promise<boolean> {
  const { stored, owner, copied } = append;
  return await database.transaction(async (queries) => {
    if (!(await moveSession(queries, append))) return false;
    await carryOut(queries, append);
    for (const each of stored) if (isRecorded(each)) await recordEvent(queries, each, { owner, copied });
    return true;
  });
}

async function carryOut(queries: Queries, { sessionId, stored: [first], command, now }: Append): Promise<void> {
  if (command === undefined || first === undefined) return;
  const { turnId, seq: firstSeq } = first;
  if (command.delivers !== undefined) await deliverMessage(queries, command.delivers, turnId);
  await recordCommand(queries, command, { sessionId, turn: { turnId, firstSeq } }, now);
}

async function moveSession(queries: Queries, append: Append): Promise<boolean> {
  const { sessionId, before, after, stored, fence, now } = append;
  const { line, lastTurn, lastSeq } = after;
  const { count } = await queries.query(
    appendSql,
    [
      sessionId,
      before.progress.lastSeq,
      lastSeq,
      now,
      line.text,
      line.state,
      lastTurn?.turnId ?? null,
      lastTurn?.at ?? null,
      lastTurn?.outcome ?? null,
      before.incarnation,
      fence ?? null,
      keptJson(stored.map(toEntry)),
    ],
    "append",
  );
  return count === 1;
}

/** PostgreSQL rejects lone surrogates as text. JSON escapes them; raw lines lose them, as in UTF-8. */
function toEntry({ seq, turnId, at, event, raw, rawCut }: StoredEvent): object {
  const line = raw === undefined ? {} : { raw: toKept(raw.toWellFormed()) };
  return { seq, turn_id: toKept(turnId), at, data: toKept(JSON.stringify(event)), ...line, raw_cut: rawCut ?? false };
}

/** This month's partition has not been created yet. */
function isPartitionMissing(reason: unknown): boolean {
  const cause = CaretError.is(reason) ? reason.cause : reason;
  return codeOf(cause) === "23514" && /no partition/.test(String(cause));
}
