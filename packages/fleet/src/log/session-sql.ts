import { HUMAN, sessionReceiver } from "@caret/protocol";
import type { SessionPage, SessionQuery, SessionRecord, SessionScope } from "@caret/runtime/log/event-store.ts";
import { hiddenStates, toProgress, toSession, wordOf } from "@caret/runtime/log/rows/session-row.ts";
import { fromCursorText, type SessionProgress, toCursorText } from "@caret/runtime/log/session-progress.ts";
import { toSearchText } from "@caret/runtime/log/session-record.ts";
import type { Queries, Row } from "../database/open-database.ts";
import { machineWaitSql } from "../members/machine-wait.ts";
import { scopeSql, scopeValues } from "./scope-sql.ts";

/** Columns read along with a session, so lists show agents, usage and waiting messages without reading logs. */
const listedSql = `(
  select json_build_object(
    'input', sum(input), 'output', sum(output), 'cacheRead', sum(cache_read), 'cacheWrite', sum(cache_write),
    'reasoning', sum(reasoning), 'cost', case when count(coalesce(cost, priced)) = count(*) then sum(coalesce(cost, priced)) end
  ) from turn_usages where session_id = sessions.id
) as used, (select name from agents where session_id = sessions.id) as agent, (
  select min(at) from messages where receiver = '${HUMAN}' and state = 'queued'
    and sender = (select name from agents where session_id = sessions.id)
) as asks_since, (
  select json_build_object('count', count(*), 'at', max(at)) from messages where state = 'queued'
    and receiver = coalesce((select name from agents where session_id = sessions.id), '${sessionReceiver("")}' || sessions.id)
) as queued, ${machineWaitSql}`;

const listSql = (scope: SessionScope): string => `
  select *, ${listedSql} from sessions
  where hidden is null
    and ($1::text = '' or position($1 in search_text) > 0)
    and ($2::boolean is null or archived = $2)
    and ${scopeSql(["$3", "$4", "$10"], scope)}
    and ($5::text is null or updated_at < $6 or (updated_at = $6 and id > $5))
    and ($8::text is null or forked_from = $8)
    and ($9::boolean is null or pinned = $9)
    and ($11::boolean is null or id in (
      select session_id from logged_turns where ended_at is null
      union select session_id from agents
        where name in (select sender from messages where receiver = '${HUMAN}' and state = 'queued')
    ))
  order by updated_at desc, id limit $7
`;

const prunableSql = `
  select id from (select id, updated_at, pinned from sessions where hidden is null order by updated_at desc, id offset $2) as old
  where updated_at < $1 and not pinned
    and not exists (select 1 from logged_turns where session_id = old.id and ended_at is null)
    and not exists (select 1 from agents where session_id = old.id)
  order by updated_at desc, id
`;

const progressSql = `
  select incarnation, fence, last_seq, last_line, line_state, last_turn, last_turn_at, last_outcome
  from sessions where id = $1 and hidden is distinct from 'removed'
`;

export async function findSession(queries: Queries, id: string): Promise<SessionRecord | undefined> {
  const sql = `select *, ${listedSql} from sessions where id = $1 and hidden is null`;
  const { rows } = await queries.query(sql, [id], "session-find");
  return rows.map(toSession)[0];
}

export async function listSessions(queries: Queries, query: SessionQuery): Promise<SessionPage> {
  const { search = "", archived, pinned, active, forkedFrom, limit = 50, after, ...scope } = query;
  const [workspace, below, user] = scopeValues(scope);
  const place = after === undefined ? undefined : fromCursorText(after);
  const { rows } = await queries.query(listSql(scope), [
    search.toLowerCase(),
    archived ?? null,
    workspace,
    below,
    place?.id ?? null,
    place?.updatedAt ?? null,
    limit + 1,
    forkedFrom ?? null,
    pinned ?? null,
    user,
    active ?? null,
  ]);
  const sessions = rows.slice(0, limit).map(toSession);
  const last = sessions.at(-1);
  return rows.length > limit && last !== undefined ? { sessions, next: toCursorText(last) } : { sessions };
}

export async function listIds(queries: Queries, scope: SessionScope): Promise<readonly string[]> {
  const sql = `select id from sessions where hidden is null and ${scopeSql(["$1", "$2", "$3"], scope)}`;
  return idsOf((await queries.query(sql, scopeValues(scope))).rows);
}

/** Sessions last updated before `before`, neither pinned, an agent's nor with a running turn, and not among the `keep` newest of all. */
export async function listPrunable(queries: Queries, before: number, keep: number): Promise<readonly string[]> {
  return idsOf((await queries.query(prunableSql, [before, keep])).rows);
}

/** A session's position: what an append must know, and what tells it from an earlier one with the same id. */
export interface SessionPlace {
  readonly progress: SessionProgress;
  readonly incarnation: number;
  readonly fence: number;
}

export async function findPlace(queries: Queries, id: string): Promise<SessionPlace | undefined> {
  const [row] = (await queries.query(progressSql, [id], "session-place")).rows;
  if (row === undefined) return undefined;
  return { progress: toProgress(row), incarnation: Number(row["incarnation"]), fence: Number(row["fence"]) };
}

export interface SessionState {
  readonly hidden: "staged" | "removed" | undefined;
  readonly lastSeq: number;
  readonly updatedAt: number;
}

/** Locks the session until the transaction ends. Finds hidden ones too. */
export async function lockSession(queries: Queries, id: string): Promise<SessionState | undefined> {
  const sql = "select hidden, last_seq, updated_at from sessions where id = $1 for update";
  const [row] = (await queries.query(sql, [id], "session-lock")).rows;
  if (row === undefined) return undefined;
  const hidden = wordOf(hiddenStates, row["hidden"]);
  return { hidden, lastSeq: Number(row["last_seq"]), updatedAt: Number(row["updated_at"]) };
}

/** Returns whether the id was free. `home`: the machine with its workspace. */
export async function insertSession(
  queries: Queries,
  session: SessionRecord,
  home: string | undefined,
): Promise<boolean> {
  const { count } = await queries.query(
    `insert into sessions (title, lane, model, permission, sandbox, budget, updated_at, archived, upstream, search_text,
       pinned, id, workspace, created_at, imported, forked_from, forked_seq, user_name, team_name, home_machine)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) on conflict (id) do nothing`,
    [
      ...changeable(session),
      session.id,
      session.workspace,
      session.createdAt,
      session.imported ?? false,
      session.forkedFrom?.sessionId ?? null,
      session.forkedFrom?.seq ?? null,
      session.user ?? null,
      session.team ?? null,
      home ?? null,
    ],
  );
  return count === 1;
}

/** Leases a session that was just made, so its worker's death from here on is noticed. */
export async function leaseSession(queries: Queries, id: string, owner: string, leaseMs: number): Promise<void> {
  const sql = "update sessions set owner = $2, lease_until = now() + $3 * interval '1 millisecond' where id = $1";
  await queries.query(sql, [id, owner, leaseMs]);
}

export async function saveSession(queries: Queries, session: SessionRecord): Promise<void> {
  await queries.query(
    `update sessions set title = $1, lane = $2, model = $3, permission = $4, sandbox = $5, budget = $6, updated_at = $7,
       archived = $8, upstream = $9, search_text = $10, pinned = $11 where id = $12`,
    [...changeable(session), session.id],
  );
}

/** Hides the session from everyone. Undefined makes it visible. */
export async function hideSession(
  queries: Queries,
  id: string,
  how: { readonly why: "staged" | "removed"; readonly owner: string } | undefined,
): Promise<void> {
  const sql = "update sessions set hidden = $1, hidden_owner = $2 where id = $3";
  await queries.query(sql, [how?.why ?? null, how?.owner ?? null, id]);
}

export interface HiddenSession {
  readonly id: string;
  readonly why: "staged" | "removed";
  readonly owner: string;
}

export async function listHidden(queries: Queries): Promise<readonly HiddenSession[]> {
  const { rows } = await queries.query("select id, hidden, hidden_owner from sessions where hidden is not null");
  return rows.map((row) => ({
    id: String(row["id"]),
    why: wordOf(hiddenStates, row["hidden"]) ?? "removed",
    owner: String(row["hidden_owner"]),
  }));
}

function changeable(session: SessionRecord): readonly unknown[] {
  return [
    session.title ?? null,
    session.lane ?? null,
    session.model ?? null,
    session.permission ?? null,
    session.sandbox ?? null,
    session.budget === undefined ? null : JSON.stringify(session.budget),
    session.updatedAt,
    session.archived,
    JSON.stringify(session.upstream),
    toSearchText(session),
    session.pinned ?? false,
  ];
}

function idsOf(rows: readonly Row[]): readonly string[] {
  return rows.map((row) => String(row["id"]));
}
