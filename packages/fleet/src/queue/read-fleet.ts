import type { FleetMemberView, FleetView, FleetWaitReason, FleetWaitView } from "@caret/protocol";
import type { Database, Row } from "../database/open-database.ts";
import { MACHINE_PREFIX } from "../members/machine-wait.ts";
import { createMembers, isThereSql, type Member } from "../members/members.ts";

const MANY = 100;

/** Counts of a fleet. `capacity` excludes workers that are leaving; `leases` are held by all. */
export interface FleetCounts {
  readonly gateways: number;
  readonly workers: number;
  readonly capacity: number;
  readonly leases: number;
  readonly queuedTurns: number;
  readonly runningTurns: number;
}

/** The current state of the fleet's machines and queue, read from its tables. */
export async function readFleet(database: Database): Promise<FleetView> {
  const members = await createMembers(database).list();
  const { rows: counts } = await database.query(
    `select count(*) filter (where state = 'queued') as queued, count(*) filter (where state = 'running') as running,
       (select count(*) from work where owner is not null) as leases
     from turns where state in ('queued', 'running')`,
    [],
    "count turns",
  );
  const { rows: waiting } = await database.query(
    `select id, key, kind, queue, owner is not null as held, floor(extract(epoch from submitted_at) * 1000)::bigint as since
     from turns join work using (key) where state = 'queued' order by position limit $1`,
    [MANY],
    "list waiting turns",
  );
  const [count] = counts;
  return {
    members: members.map(toMemberView),
    queuedTurns: Number(count?.["queued"] ?? 0),
    runningTurns: Number(count?.["running"] ?? 0),
    leases: Number(count?.["leases"] ?? 0),
    waiting: waiting.map((row) => toWaitView(row, members)),
  };
}

/** Counts only, in one statement: every gateway polls them. */
export async function countFleet(database: Database): Promise<FleetCounts> {
  const { rows } = await database.query(
    `select count(*) filter (where role = 'gateway') as gateways, count(*) filter (where role = 'worker') as workers,
       coalesce(sum((about->>'capacity')::integer) filter (where role = 'worker' and not is_leaving), 0) as capacity,
       (select count(*) from turns where state = 'queued') as queued,
       (select count(*) from turns where state = 'running') as running,
       (select count(*) from work where owner is not null) as leases
     from members where ${isThereSql}`,
    [],
    "count fleet",
  );
  const count = (column: string): number => Number(rows[0]?.[column] ?? 0);
  return {
    gateways: count("gateways"),
    workers: count("workers"),
    capacity: count("capacity"),
    leases: count("leases"),
    queuedTurns: count("queued"),
    runningTurns: count("running"),
  };
}

function toMemberView({ id, role, machine, version, about, isLeaving, isThere, seenAt }: Member): FleetMemberView {
  const { lanes = [], capacity = 0, atWork = 0 } = about;
  const state = isThere ? (isLeaving ? "leaving" : "there") : "away";
  return { id, role, machine, version, state, lanes, capacity, atWork, seenAt };
}

function toWaitView(row: Row, members: readonly Member[]): FleetWaitView {
  const queue = String(row["queue"]);
  const machine = queue.startsWith(MACHINE_PREFIX) ? queue.slice(MACHINE_PREFIX.length) : undefined;
  return {
    turnId: String(row["id"]),
    ...(row["kind"] === "session" ? { sessionId: String(row["key"]) } : {}),
    ...(machine === undefined ? {} : { machine }),
    reason: reasonOf(row["held"] === true, machine, members),
    since: Number(row["since"]),
  };
}

function reasonOf(isHeld: boolean, machine: string | undefined, members: readonly Member[]): FleetWaitReason {
  if (isHeld) return "behind-a-turn";
  const workers = members.filter(({ role, isThere, isLeaving }) => role === "worker" && isThere && !isLeaving);
  if (machine !== undefined && !workers.some((worker) => worker.machine === machine)) return "machine-away";
  return workers.length === 0 ? "no-worker" : "workers-full";
}
