import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { Usage } from "@caret/protocol";
import type {
  RunningTurn,
  RunningTurnQuery,
  StoredEvent,
  TurnCount,
  TurnCountQuery,
  UsageByDayQuery,
  UsageOfDay,
  UsageQuery,
  UsageTotal,
} from "../event-store.ts";
import { NOBODY } from "../process-owner.ts";
import { toRunningTurn, toTotal, toUsageOfDay } from "../rows/usage-rows.ts";
import { toUsageDay } from "../session-record.ts";
import { costSql } from "./cost-function.ts";
import { scopeParameters, scopeSql, userSql } from "./scope-filter.ts";

const DAY_MS = 24 * 3_600_000;

export interface TurnTable {
  /** Updates a turn's rows after one event appended by `owner`; most kinds change none. */
  record(stored: StoredEvent, how: { readonly owner: string; readonly copied: boolean }): void;
  running(query: RunningTurnQuery): readonly RunningTurn[];
  totals(query: UsageQuery): readonly UsageTotal[];
  count(query: TurnCountQuery): TurnCount;
  byDay(query: UsageByDayQuery): readonly UsageOfDay[];
}

const startSql = `
  insert into turn (session_id, turn_id, model, lane, first_seq, started_at, owner) values (?, ?, ?, ?, ?, ?, ?)
  on conflict do update set
    model = excluded.model, lane = excluded.lane, first_seq = excluded.first_seq, owner = excluded.owner, ended_at = null
`;

const runningSql = `
  select turn.* from turn join session on session.id = turn.session_id
  where ended_at is null and ($sessionId is null or session_id = $sessionId) and session.hidden is null
  order by session_id, first_seq
`;

const usageSql = `
  insert or replace into turn_usage
    (session_id, turn_id, day, input, output, cache_read, cache_write, reasoning, cost, model, lane, user_name, team_name)
  select $sessionId, $turnId, $day, $input, $output, $cacheRead, $cacheWrite, $reasoning, $cost,
    (select model from turn where session_id = $sessionId and turn_id = $turnId),
    (select lane from turn where session_id = $sessionId and turn_id = $turnId),
    (select user_name from session where id = $sessionId),
    (select team_name from session where id = $sessionId)
`;

const sums = `count(*) as turns, count(*) - count(${costSql}) as unpricedTurns, sum(input) as input,
    sum(output) as output, sum(cache_read) as cacheRead, sum(cache_write) as cacheWrite,
    sum(reasoning) as reasoning, sum(${costSql}) as cost`;

const totalsSql = `
  select model, ${sums}
  from turn_usage
  where ($sessionId is null or session_id = $sessionId) and ($day is null or day = $day)
    and ($user is null or user_name = $user) and ($team is null or team_name = $team)
  group by model order by model
`;

/** Read from the turn's first event by its key, only on request, because prompts can be long. */
const clientSql = `case when $byClient then (
    select case when json_valid(event.data) then json_extract(event.data, '$.client') end
    from turn join event on event.session_id = turn.session_id and event.seq = turn.first_seq
    where turn.session_id = turn_usage.session_id and turn.turn_id = turn_usage.turn_id
  ) end`;

const byDaySql = `
  select day, session_id as sessionId, lane, model, user_name as user, ${sums}, ${clientSql} as client,
    (select coalesce(title, '') from session where session.id = session_id and hidden is null) as title
  from turn_usage
  where day >= $from and ${userSql}
    and ($workspace is null or session_id in (select id from session where hidden is null and ${scopeSql}))
  group by day, model, session_id, lane, user_name, client order by day desc, model, session_id, lane, client
`;

const whoseSql = "($user is null or user_name = $user) and ($team is null or team_name = $team)";

/** A turn is in the first table while its session exists, and in the second once it has reported usage. */
const countSql = `
  select (select count(*) from (
    select session_id, turn_id from turn join session on session.id = turn.session_id
      where started_at >= $from and started_at < $to and turn.owner <> '${NOBODY}' and ${whoseSql}
    union select session_id, turn_id from turn_usage where day = $day and ${whoseSql}
  )) as begun, (
    select count(*) from turn join session on session.id = turn.session_id
      where ended_at is null and session.hidden is null and ${whoseSql}
  ) as running
`;

export function createTurnTable(database: DatabaseSync): TurnTable {
  const start = database.prepare(startSql);
  const end = database.prepare("update turn set ended_at = ? where session_id = ? and turn_id = ?");
  const saveUsage = database.prepare(usageSql);
  const running = database.prepare(runningSql);
  const totals = database.prepare(totalsSql);
  const byDay = database.prepare(byDaySql);
  const count = database.prepare(countSql);

  return {
    record({ sessionId, turnId, seq, at, event }, { owner, copied }) {
      const ranBy = copied ? NOBODY : owner;
      if (event.type === "turn-start") start.run(sessionId, turnId, event.model ?? null, event.lane, seq, at, ranBy);
      if (event.type === "turn-end") end.run(at, sessionId, turnId);
      if (event.type === "usage") {
        const $day = copied ? null : toUsageDay(at);
        saveUsage.run({ $sessionId: sessionId, $turnId: turnId, $day, ...toParameters(event.usage) });
      }
    },
    running: ({ sessionId }) => running.all({ $sessionId: sessionId ?? null }).map(toRunningTurn),
    totals: ({ sessionId, day, user, team }) => {
      const whose = { $user: user ?? null, $team: team ?? null };
      return totals.all({ $sessionId: sessionId ?? null, $day: day ?? null, ...whose }).map(toTotal);
    },
    count({ day, user, team }) {
      const from = Date.parse(day);
      const row = count.get({
        $day: day,
        $from: from,
        $to: from + DAY_MS,
        $user: user ?? null,
        $team: team ?? null,
      });
      return { begun: Number(row?.["begun"]), running: Number(row?.["running"]) };
    },
    byDay: ({ from, byClient = false, ...scope }) =>
      byDay.all({ $from: from, $byClient: byClient ? 1 : 0, ...scopeParameters(scope) }).map(toUsageOfDay),
  };
}

function toParameters(usage: Usage): Record<string, SQLInputValue> {
  return {
    $input: usage.input ?? null,
    $output: usage.output ?? null,
    $cacheRead: usage.cacheRead ?? null,
    $cacheWrite: usage.cacheWrite ?? null,
    $reasoning: usage.reasoning ?? null,
    $cost: usage.cost ?? null,
  };
}
