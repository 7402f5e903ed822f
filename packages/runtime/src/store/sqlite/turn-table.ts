import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { type Usage, usageSchema } from "@caret/protocol";
import type {
  RunningTurn,
  RunningTurnQuery,
  StoredEvent,
  UsageByDayQuery,
  UsageOfDay,
  UsageQuery,
  UsageTotal,
} from "../../engine/event-store.ts";
import { toUsageDay } from "../usage-day.ts";
import type { Row } from "./row.ts";
import { workspaceParameters, workspaceSql } from "./workspace-filter.ts";

export interface TurnTable {
  /** Keep the books of one event that `owner` appends: most kinds leave no trace here. */
  record(stored: StoredEvent, how: { readonly owner: string; readonly copied: boolean }): void;
  running(query: RunningTurnQuery): readonly RunningTurn[];
  totals(query: UsageQuery): readonly UsageTotal[];
  byDay(query: UsageByDayQuery): readonly UsageOfDay[];
}

const startSql = `
  insert into turn (session_id, turn_id, model, first_seq, started_at, owner) values (?, ?, ?, ?, ?, ?)
  on conflict do update set
    model = excluded.model, first_seq = excluded.first_seq, owner = excluded.owner, ended_at = null
`;

const runningSql = `
  select turn.* from turn join session on session.id = turn.session_id
  where ended_at is null and ($sessionId is null or session_id = $sessionId) and session.hidden is null
  order by session_id, first_seq
`;

const usageSql = `
  insert or replace into turn_usage
  select $sessionId, $turnId, $day, (select model from turn where session_id = $sessionId and turn_id = $turnId),
    $input, $output, $cacheRead, $cacheWrite, $reasoning, $cost
`;

const sums = `count(*) as turns, sum(input) as input, sum(output) as output, sum(cache_read) as cacheRead,
    sum(cache_write) as cacheWrite, sum(reasoning) as reasoning, sum(cost) as cost`;

const totalsSql = `
  select model, ${sums}
  from turn_usage
  where ($sessionId is null or session_id = $sessionId) and ($day is null or day = $day)
  group by model order by model
`;

const byDaySql = `
  select day, session_id as sessionId, model, ${sums}
  from turn_usage
  where day >= $from
    and ($workspace is null or session_id in (select id from session where hidden is null and ${workspaceSql}))
  group by day, model, session_id order by day desc, model, session_id
`;

export function createTurnTable(database: DatabaseSync): TurnTable {
  const start = database.prepare(startSql);
  const end = database.prepare("update turn set ended_at = ? where session_id = ? and turn_id = ?");
  const saveUsage = database.prepare(usageSql);
  const running = database.prepare(runningSql);
  const totals = database.prepare(totalsSql);
  const byDay = database.prepare(byDaySql);

  return {
    record({ sessionId, turnId, seq, at, event }, { owner, copied }) {
      if (event.type === "turn-start") start.run(sessionId, turnId, event.model ?? null, seq, at, owner);
      if (event.type === "turn-end") end.run(at, sessionId, turnId);
      if (event.type === "usage") {
        const $day = copied ? null : toUsageDay(at);
        saveUsage.run({ $sessionId: sessionId, $turnId: turnId, $day, ...toParameters(event.usage) });
      }
    },
    running: ({ sessionId }) => running.all({ $sessionId: sessionId ?? null }).map(toRunningTurn),
    totals: ({ sessionId, day }) => totals.all({ $sessionId: sessionId ?? null, $day: day ?? null }).map(toTotal),
    byDay: ({ from, workspace }) =>
      byDay
        .all({ $from: from, ...workspaceParameters(workspace) })
        .map(({ day, sessionId, ...total }) => ({ day: String(day), sessionId: String(sessionId), ...toTotal(total) })),
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

function toRunningTurn(row: Row): RunningTurn {
  return {
    sessionId: String(row["session_id"]),
    turnId: String(row["turn_id"]),
    firstSeq: Number(row["first_seq"]),
    startedAt: Number(row["started_at"]),
    owner: String(row["owner"]),
  };
}

function toTotal({ model, turns, ...sums }: Row): UsageTotal {
  const reported = Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== null));
  const usage = usageSchema.parse(reported);
  return model === null ? { turns: Number(turns), usage } : { model: String(model), turns: Number(turns), usage };
}
