import { laneNames, type Usage, usageSchema } from "@caret/protocol";
import type { RunningTurn, UsageOfDay, UsageTotal } from "../event-store.ts";
import type { Row } from "./row.ts";

export function toRunningTurn(row: Row): RunningTurn {
  return {
    sessionId: String(row["session_id"]),
    turnId: String(row["turn_id"]),
    firstSeq: Number(row["first_seq"]),
    startedAt: Number(row["started_at"]),
    owner: String(row["owner"]),
  };
}

export function toUsageOfDay({ day, sessionId, lane, title, client, user, ...total }: Row): UsageOfDay {
  const known = laneNames.find((name) => name === lane);
  return {
    day: String(day),
    sessionId: String(sessionId),
    ...(known === undefined ? {} : { lane: known }),
    ...(title === null ? {} : { title: String(title) }),
    ...(client === null ? {} : { client: String(client) }),
    ...(user === null ? {} : { user: String(user) }),
    ...toTotal(total),
  };
}

export function toTotal({ model, turns, unpricedTurns, ...sums }: Row): UsageTotal {
  return {
    ...(model === null ? {} : { model: String(model) }),
    turns: Number(turns),
    unpricedTurns: Number(unpricedTurns),
    usage: toUsage(sums),
  };
}

/** Sums from SQL: null if no turn reported the value. */
export function toUsage(sums: Row): Usage {
  return usageSchema.parse(Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== null)));
}
