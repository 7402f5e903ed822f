import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { laneNames } from "@caret/protocol";
import { z } from "zod";
import type { SessionPage, SessionQuery, SessionRecord } from "../../engine/event-store.ts";
import { fromCursorText, toCursorText } from "../session-cursor.ts";
import { toSearchText } from "../session-record.ts";
import type { Row } from "./row.ts";

export interface SessionTable {
  find(id: string): SessionRecord | undefined;
  /** Only what an append has to know. */
  place(id: string): SessionPlace | undefined;
  list(query: SessionQuery): SessionPage;
  /** Insert or replace everything but the events. */
  save(session: SessionRecord): void;
  advance(id: string, lastSeq: number, updatedAt: number): void;
  remove(id: string): boolean;
  /** Sessions last updated before `before` without a running turn, the `keep` newest of all sessions left out. */
  prunable(before: number, keep: number): readonly string[];
}

export type SessionPlace = Pick<SessionRecord, "lastSeq" | "imported">;

const saveSql = `
  insert into session values
    ($id, $workspace, $title, $lane, $model, $createdAt, $updatedAt, $archived, $imported, $lastSeq, $upstream, $search)
  on conflict (id) do update set
    title = $title, lane = $lane, model = $model, updated_at = $updatedAt, archived = $archived,
    upstream = $upstream, search_text = $search
`;

const listSql = `
  select * from session
  where instr(search_text, $search) > 0
    and ($archived is null or archived = $archived)
    and ($id is null or updated_at < $updatedAt or (updated_at = $updatedAt and id > $id))
  order by updated_at desc, id limit $limit
`;

const prunableSql = `
  select id from (select id, updated_at from session order by updated_at desc, id limit -1 offset $keep)
  where updated_at < $before
    and not exists (select 1 from turn where turn.session_id = id and turn.ended_at is null)
`;

export function createSessionTable(database: DatabaseSync): SessionTable {
  const find = database.prepare("select * from session where id = ?");
  const place = database.prepare("select last_seq, imported from session where id = ?");
  const list = database.prepare(listSql);
  const save = database.prepare(saveSql);
  const advance = database.prepare("update session set last_seq = ?, updated_at = ? where id = ?");
  const remove = database.prepare("delete from session where id = ?");
  const prunable = database.prepare(prunableSql);

  return {
    find(id) {
      const row = find.get(id);
      return row === undefined ? undefined : toSession(row);
    },
    place(id) {
      const row = place.get(id);
      if (row === undefined) return undefined;
      return { lastSeq: Number(row["last_seq"]), ...(row["imported"] === 1 ? { imported: true } : {}) };
    },
    list({ search = "", archived, limit = 50, after }) {
      const place = after === undefined ? { $id: null, $updatedAt: null } : toPlace(after);
      const $archived = archived === undefined ? null : Number(archived);
      const rows = list.all({ $search: search.toLowerCase(), $archived, ...place, $limit: limit + 1 }).map(toSession);
      const sessions = rows.slice(0, limit);
      const last = sessions.at(-1);
      return rows.length > limit && last !== undefined ? { sessions, next: toCursorText(last) } : { sessions };
    },
    save(session) {
      save.run(toRow(session));
    },
    advance(id, lastSeq, updatedAt) {
      advance.run(lastSeq, updatedAt, id);
    },
    remove: (id) => remove.run(id).changes > 0,
    prunable: (before, keep) => prunable.all({ $before: before, $keep: keep }).map((row) => String(row["id"])),
  };
}

function toPlace(after: string): { $id: string; $updatedAt: number } {
  const { id, updatedAt } = fromCursorText(after);
  return { $id: id, $updatedAt: updatedAt };
}

function toRow(session: SessionRecord): Record<string, SQLInputValue> {
  return {
    $id: session.id,
    $workspace: session.workspace,
    $title: session.title ?? null,
    $lane: session.lane ?? null,
    $model: session.model ?? null,
    $createdAt: session.createdAt,
    $updatedAt: session.updatedAt,
    $archived: Number(session.archived),
    $imported: Number(session.imported ?? false),
    $lastSeq: session.lastSeq,
    $upstream: JSON.stringify(session.upstream),
    $search: toSearchText(session),
  };
}

/** A lane that another release knew and this one does not is left out instead of failing the whole list. */
const laneSchema = z.enum(laneNames).optional().catch(undefined);
const attachmentSchema = z.object({
  lane: z.enum(laneNames),
  sessionId: z.string(),
  version: z.string().exactOptional(),
  configDir: z.string().exactOptional(),
});
const upstreamSchema = z
  .array(attachmentSchema.nullable().catch(null))
  .transform((attachments) => attachments.filter((attachment) => attachment !== null));

function toSession(row: Row): SessionRecord {
  const lane = laneSchema.parse(row["lane"] ?? undefined);
  return {
    id: String(row["id"]),
    workspace: String(row["workspace"]),
    ...(row["title"] === null ? {} : { title: String(row["title"]) }),
    ...(lane === undefined ? {} : { lane }),
    ...(row["model"] === null ? {} : { model: String(row["model"]) }),
    createdAt: Number(row["created_at"]),
    ...(row["imported"] === 1 ? { imported: true } : {}),
    updatedAt: Number(row["updated_at"]),
    archived: row["archived"] === 1,
    lastSeq: Number(row["last_seq"]),
    upstream: upstreamSchema.parse(JSON.parse(String(row["upstream"]))),
  };
}
