import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { HUMAN, sessionReceiver } from "@caret/protocol";
import type { SessionPage, SessionQuery, SessionRecord, SessionScope, UpstreamAttachment } from "../event-store.ts";
import { hiddenStates, toProgress, toSession, toUpstream, wordOf } from "../rows/session-row.ts";
import { fromCursorText, type SessionProgress, toCursorText } from "../session-progress.ts";
import { attach, toSearchText } from "../session-record.ts";
import { costSql } from "./cost-function.ts";
import { scopeParameters, scopeSql } from "./scope-filter.ts";

export interface SessionTable {
  find(id: string): SessionRecord | undefined;
  /** Only what an append needs. */
  progress(id: string): SessionProgress | undefined;
  list(query: SessionQuery): SessionPage;
  ids(scope: SessionScope): readonly string[];
  /** Undefined if it does not exist; hidden sessions are found only here and by `progress`. */
  state(id: string): SessionState | undefined;
  /** Inserts or replaces everything but the events and the resulting progress. */
  save(session: SessionRecord): void;
  /** Returns whether the session exists. */
  attach(id: string, upstream: UpstreamAttachment, updatedAt: number): boolean;
  /** Hides it from all readers. */
  hide(id: string, why: "staged" | "removed", owner: string): void;
  /** Makes it visible to other connections. */
  show(id: string): void;
  hidden(): readonly HiddenSession[];
  advance(id: string, progress: SessionProgress, how: Advance): void;
  remove(id: string): void;
  /** Sessions last updated before `before`, neither pinned nor with a running turn, except the `keep` newest of all sessions. */
  prunable(before: number, keep: number): readonly string[];
}

export interface SessionState {
  readonly hidden: "staged" | "removed" | undefined;
  readonly lastSeq: number;
  readonly updatedAt: number;
}

export interface HiddenSession {
  readonly id: string;
  readonly why: "staged" | "removed";
  readonly owner: string;
}

export interface Advance {
  readonly updatedAt: number;
  /** The progress before. Unchanged columns are not written: most appends change only the position. */
  readonly before: SessionProgress;
}

const saveSql = `
  insert into session
    (id, workspace, title, lane, model, permission, sandbox, budget, created_at, updated_at, archived, imported, last_seq, upstream,
     search_text, forked_from, forked_seq, pinned, user_name, team_name)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (id) do update set
    title = excluded.title, lane = excluded.lane, model = excluded.model, permission = excluded.permission,
    sandbox = excluded.sandbox, budget = excluded.budget, updated_at = excluded.updated_at, archived = excluded.archived,
    pinned = excluded.pinned, upstream = excluded.upstream, search_text = excluded.search_text
`;

const advanceSql = `
  update session set last_seq = ?, last_line = ?, line_state = ?, last_turn = ?, last_turn_at = ?, last_outcome = ?, updated_at = ?
  where id = ?
`;

/** Read with the session, so lists can show its agent and usage without reading logs. */
const listedSql = `(
  select json_object(
    'input', sum(input), 'output', sum(output), 'cacheRead', sum(cache_read), 'cacheWrite', sum(cache_write),
    'reasoning', sum(reasoning), 'cost', case when count(${costSql}) = count(*) then sum(${costSql}) end
  ) from turn_usage where session_id = session.id
) as used, (select name from agent where session_id = session.id) as agent, (
  select min(at) from message where receiver = '${HUMAN}' and state = 'queued'
    and sender = (select name from agent where session_id = session.id)
) as asks_since, (
  select json_object('count', count(*), 'at', max(at)) from message where state = 'queued'
    and receiver = coalesce((select name from agent where session_id = session.id), '${sessionReceiver("")}' || session.id)
) as queued`;

const listSql = `
  select *, ${listedSql} from session
  where hidden is null
    and instr(search_text, $search) > 0
    and ($archived is null or archived = $archived)
    and ($pinned is null or pinned = $pinned)
    and ($active is null or id in (
      select session_id from turn where ended_at is null
      union select session_id from agent
        where name in (select sender from message where receiver = '${HUMAN}' and state = 'queued')
    ))
    and ${scopeSql}
    and ($forkedFrom is null or forked_from = $forkedFrom)
    and ($id is null or updated_at < $updatedAt or (updated_at = $updatedAt and id > $id))
  order by updated_at desc, id limit $limit
`;

const prunableSql = `
  select id from (
    select id, updated_at, pinned from session where hidden is null order by updated_at desc, id limit -1 offset $keep
  )
  where updated_at < $before and pinned = 0
    and not exists (select 1 from turn where turn.session_id = id and turn.ended_at is null)
    and not exists (select 1 from agent where agent.session_id = id)
`;

export function createSessionTable(database: DatabaseSync): SessionTable {
  const find = database.prepare(`select *, ${listedSql} from session where id = ? and hidden is null`);
  const progress = database.prepare(
    `select last_seq, last_line, line_state, last_turn, last_turn_at, last_outcome from session
     where id = ? and hidden is not 'removed'`,
  );
  const list = database.prepare(listSql);
  const ids = database.prepare(`select id from session where hidden is null and ${scopeSql}`);
  const state = database.prepare("select hidden, last_seq, updated_at from session where id = ?");
  const save = database.prepare(saveSql);
  const hide = database.prepare("update session set hidden = ?, hidden_owner = ? where id = ?");
  const hidden = database.prepare("select id, hidden, hidden_owner from session where hidden is not null");
  const advance = database.prepare(advanceSql);
  const move = database.prepare("update session set last_seq = ?, updated_at = ? where id = ?");
  const remove = database.prepare("delete from session where id = ?");
  const prunable = database.prepare(prunableSql);

  return {
    find(id) {
      const row = find.get(id);
      return row === undefined ? undefined : toSession(row);
    },
    progress(id) {
      const row = progress.get(id);
      return row === undefined ? undefined : toProgress(row);
    },
    list({ search = "", archived, pinned, active, forkedFrom = null, limit = 50, after, ...scope }) {
      const place = after === undefined ? { $id: null, $updatedAt: null } : toPosition(after);
      const $archived = archived === undefined ? null : Number(archived);
      const wanted = {
        $search: search.toLowerCase(),
        $archived,
        $pinned: pinned === undefined ? null : 1,
        $active: active === undefined ? null : 1,
        $forkedFrom: forkedFrom,
        ...scopeParameters(scope),
      };
      const rows = list.all({ ...wanted, ...place, $limit: limit + 1 }).map(toSession);
      const sessions = rows.slice(0, limit);
      const last = sessions.at(-1);
      return rows.length > limit && last !== undefined ? { sessions, next: toCursorText(last) } : { sessions };
    },
    ids: (scope) => ids.all(scopeParameters(scope)).map((row) => String(row["id"])),
    state(id) {
      const row = state.get(id);
      if (row === undefined) return undefined;
      const why = wordOf(hiddenStates, row["hidden"]);
      return { hidden: why, lastSeq: Number(row["last_seq"]), updatedAt: Number(row["updated_at"]) };
    },
    save(session) {
      save.run(...toRow(session));
    },
    attach: prepareAttach(database),
    hide: (id, why, owner) => void hide.run(why, owner, id),
    show: (id) => void hide.run(null, null, id),
    hidden: () =>
      hidden.all().map((row) => ({
        id: String(row["id"]),
        why: wordOf(hiddenStates, row["hidden"]) ?? "removed",
        owner: String(row["hidden_owner"]),
      })),
    advance(id, { lastSeq, line, lastTurn }, { updatedAt, before }) {
      if (line === before.line && lastTurn === before.lastTurn) move.run(lastSeq, updatedAt, id);
      else advance.run(lastSeq, line.text, line.state, ...lastTurnRow(lastTurn), updatedAt, id);
    },
    remove: (id) => void remove.run(id),
    prunable: (before, keep) => prunable.all({ $before: before, $keep: keep }).map((row) => String(row["id"])),
  };
}

function prepareAttach(database: DatabaseSync): SessionTable["attach"] {
  const find = database.prepare("select upstream from session where id = ? and hidden is null");
  const save = database.prepare("update session set upstream = ?, updated_at = ? where id = ?");
  return (id, upstream, updatedAt) => {
    const row = find.get(id);
    if (row === undefined) return false;
    save.run(JSON.stringify(attach(toUpstream(row), upstream)), updatedAt, id);
    return true;
  };
}

function lastTurnRow(last: SessionProgress["lastTurn"]): readonly [SQLInputValue, SQLInputValue, SQLInputValue] {
  return [last?.turnId ?? null, last?.at ?? null, last?.outcome ?? null];
}

function toPosition(after: string): { $id: string; $updatedAt: number } {
  const { id, updatedAt } = fromCursorText(after);
  return { $id: id, $updatedAt: updatedAt };
}

/** In the column order of `saveSql`: named parameters would be looked up one by one each time. */
function toRow(session: SessionRecord): readonly SQLInputValue[] {
  return [
    session.id,
    session.workspace,
    session.title ?? null,
    session.lane ?? null,
    session.model ?? null,
    session.permission ?? null,
    session.sandbox ?? null,
    session.budget === undefined ? null : JSON.stringify(session.budget),
    session.createdAt,
    session.updatedAt,
    Number(session.archived),
    Number(session.imported ?? false),
    session.lastSeq,
    JSON.stringify(session.upstream),
    toSearchText(session),
    session.forkedFrom?.sessionId ?? null,
    session.forkedFrom?.seq ?? null,
    Number(session.pinned ?? false),
    session.user ?? null,
    session.team ?? null,
  ];
}
