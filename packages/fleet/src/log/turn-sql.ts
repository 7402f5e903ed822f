import { costOf, type Usage } from "@caret/protocol";
import type {
  RunningTurn,
  RunningTurnQuery,
  SessionScope,
  StoredEvent,
  TurnCount,
  TurnCountQuery,
  UsageByDayQuery,
  UsageOfDay,
  UsageQuery,
  UsageTotal,
} from "@caret/runtime/log/event-store.ts";
import { NOBODY } from "@caret/runtime/log/process-owner.ts";
import { toRunningTurn, toTotal, toUsageOfDay } from "@caret/runtime/log/rows/usage-rows.ts";
import { toUsageDay } from "@caret/runtime/log/session-record.ts";
import type { Queries } from "../database/open-database.ts";
import { scopeSql, scopeValues, userSql } from "./scope-sql.ts";

const startSql = `
  insert into logged_turns (session_id, turn_id, model, lane, client, first_seq, started_at, owner)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (session_id, turn_id) do update set
    model = excluded.model, lane = excluded.lane, client = excluded.client, first_seq = excluded.first_seq,
    owner = excluded.owner, ended_at = null
`;

const usageSql = `
  insert into turn_usages
    (session_id, turn_id, day, model, lane, input, output, cache_read, cache_write, reasoning, cost, priced, user_name, team_name)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, (select user_name from sessions where id = $1),
    (select team_name from sessions where id = $1))
  on conflict (session_id, turn_id) do update set
    day = excluded.day, model = excluded.model, lane = excluded.lane, input = excluded.input, output = excluded.output,
    cache_read = excluded.cache_read, cache_write = excluded.cache_write, reasoning = excluded.reasoning,
    cost = excluded.cost, priced = excluded.priced
`;

const runningSql = `
  select logged_turns.* from logged_turns join sessions on sessions.id = session_id
  where ended_at is null and ($1::text is null or session_id = $1) and hidden is null
  order by session_id, first_seq
`;

const sums = `count(*) as turns, count(*) - count(coalesce(cost, priced)) as "unpricedTurns", sum(input) as input,
    sum(output) as output, sum(cache_read) as "cacheRead", sum(cache_write) as "cacheWrite",
    sum(reasoning) as reasoning, sum(coalesce(cost, priced)) as cost`;

const totalsSql = `
  select model, ${sums} from turn_usages
  where ($1::text is null or session_id = $1) and ($2::text is null or day = $2)
    and ($3::text is null or user_name = $3) and ($4::text is null or team_name = $4)
  group by model order by model nulls first
`;

const DAY_MS = 24 * 3_600_000;
const whoseSql = "($4::text is null or user_name = $4) and ($5::text is null or team_name = $5)";

/** A turn is in the first table while its session exists, and in the second once it has reported usage. */
const countSql = `
  select (select count(*) from (
    select session_id, turn_id from logged_turns join sessions on sessions.id = session_id
      where started_at >= $2 and started_at < $3 and logged_turns.owner <> '${NOBODY}' and ${whoseSql}
    union select session_id, turn_id from turn_usages where day = $1 and ${whoseSql}
  ) as of_day) as begun, (
    select count(*) from logged_turns join sessions on sessions.id = session_id
      where ended_at is null and hidden is null and ${whoseSql}
  ) as running
`;

const byDaySql = (scope: SessionScope): string => `
  select day, session_id as "sessionId", lane, model, user_name as "user", ${sums}, client,
    (select coalesce(title, '') from sessions where id = session_id and hidden is null) as title
  from (
    select turn_usages.*, case when $2::boolean then logged_turns.client end as client
    from turn_usages left join logged_turns using (session_id, turn_id)
  ) as used
  where day >= $1 and ${userSql("$5", scope)}
    and ($3::text is null or session_id in (
      select id from sessions where hidden is null and ${scopeSql(["$3", "$4", "$5"], scope)}
    ))
  group by day, model, session_id, lane, user_name, client
  order by day desc, model nulls first, session_id, lane nulls first, client nulls first
`;

/** Whether an event changes other rows as well; most kinds do not. */
export function isRecorded({ event: { type } }: Pick<StoredEvent, "event">): boolean {
  return type === "turn-start" || type === "turn-end" || type === "usage";
}

/** Updates a turn's rows after `owner` appended one event. */
export async function recordEvent(
  queries: Queries,
  { sessionId, turnId, seq, at, event }: StoredEvent,
  { owner, copied }: { readonly owner: string; readonly copied: boolean },
): Promise<void> {
  if (event.type === "turn-start") {
    const { model = null, lane, client = null } = event;
    const ranBy = copied ? NOBODY : owner;
    await queries.query(startSql, [sessionId, turnId, model, lane, client, seq, at, ranBy], "turn-start");
  }
  if (event.type === "turn-end") {
    const sql = "update logged_turns set ended_at = $1 where session_id = $2 and turn_id = $3";
    await queries.query(sql, [at, sessionId, turnId], "turn-end");
  }
  if (event.type === "usage") {
    const sql = "select model, lane from logged_turns where session_id = $1 and turn_id = $2";
    const [turn] = (await queries.query(sql, [sessionId, turnId], "turn-model")).rows;
    const day = copied ? null : toUsageDay(at);
    const counted = toColumns(event.usage, turn?.["model"]);
    await queries.query(usageSql, [
      sessionId,
      turnId,
      day,
      turn?.["model"] ?? null,
      turn?.["lane"] ?? null,
      ...counted,
    ]);
  }
}

export async function listRunning(queries: Queries, { sessionId }: RunningTurnQuery): Promise<readonly RunningTurn[]> {
  return (await queries.query(runningSql, [sessionId ?? null])).rows.map(toRunningTurn);
}

export async function sumUsage(queries: Queries, query: UsageQuery): Promise<readonly UsageTotal[]> {
  const { sessionId = null, day = null, user = null, team = null } = query;
  return (await queries.query(totalsSql, [sessionId, day, user, team])).rows.map(toTotal);
}

export async function countTurns(queries: Queries, { day, user, team }: TurnCountQuery): Promise<TurnCount> {
  const from = Date.parse(day);
  const values = [day, from, from + DAY_MS, user ?? null, team ?? null];
  const [row] = (await queries.query(countSql, values)).rows;
  return { begun: Number(row?.["begun"]), running: Number(row?.["running"]) };
}

export async function sumUsageByDay(queries: Queries, query: UsageByDayQuery): Promise<readonly UsageOfDay[]> {
  const { from, byClient = false } = query;
  const { rows } = await queries.query(byDaySql(query), [from, byClient, ...scopeValues(query)]);
  return rows.map(toUsageOfDay);
}

/** The last column is the turn's cost at current prices, if upstream reported none. */
function toColumns(usage: Usage, model: unknown): readonly unknown[] {
  const { input = null, output = null, cacheRead = null, cacheWrite = null, reasoning = null, cost = null } = usage;
  const priced = typeof model === "string" && cost === null ? (costOf(usage, model) ?? null) : null;
  return [input, output, cacheRead, cacheWrite, reasoning, cost, priced];
}
