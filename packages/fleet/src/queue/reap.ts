import type { Database, Queries, Row } from "../database/open-database.ts";
import { machineAwaySql } from "../members/machine-wait.ts";
import { severalAtOnce } from "../wire/several-at-once.ts";
import { ANYWHERE, type JobQueue, type OrphanedJob } from "./job-queue.ts";

/** SQL condition: the key's worker has not renewed its lease. */
export const isExpiredSql = "owner is not null and lease_until < now()";
/** SQL condition: the turn has waited for a while, though nobody holds its key. */
export const isForgottenSql = "(state = 'queued' and owner is null and submitted_at < now() - interval '2 seconds')";
const MANY = 100;
/** Keys handed on concurrently. */
const AT_ONCE = 4;

export interface Reaped {
  /** Turns that lost workers had started; these are never restarted automatically. */
  readonly interrupted: readonly string[];
  /** Queues that got jobs again. */
  readonly queues: readonly string[];
}

/**
 * Takes keys from workers whose leases have expired and sends jobs for turns without one. Safe to run at any time, on several workers at
 * once.
 */
export async function reapWork(database: Database, jobs: JobQueue): Promise<Reaped> {
  const { rows: expired } = await database.query(`select key from work where ${isExpiredSql} limit $1`, [MANY]);
  const interrupted: string[] = [];
  const queues = new Set<string>();
  await severalAtOnce(expired, AT_ONCE, async ({ key }) => {
    const taken = await database.transaction((queries) => takeKey(queries, jobs, String(key)));
    interrupted.push(...taken.interrupted);
    for (const queue of taken.queues) queues.add(queue);
  });
  const { rows: forgotten } = await database.query(
    `select distinct key from turns join work using (key) where ${isForgottenSql} limit $1`,
    [MANY],
  );
  const orphans = Map.groupBy(await jobs.findOrphans(), ({ key }) => key);
  const keys = new Set([...forgotten.map((row) => String(row["key"])), ...orphans.keys()]);
  await severalAtOnce(keys, AT_ONCE, async (key) => {
    const queue = await database.transaction((queries) => sendAgain(queries, jobs, key, orphans.get(key) ?? []));
    if (queue !== undefined) queues.add(queue);
  });
  return { interrupted, queues: [...queues] };
}

const nothing: Reaped = { interrupted: [], queues: [] };

/** Finds a session's turn that a lost worker had taken and no log has: its client may follow the session until its end. */
const unrecordedSql = `select 1 from turns join work using (key) join sessions on sessions.id = turns.key
  where key = $1 and kind = 'session' and state = 'running' and input is not null
    and not exists (select 1 from logged_turns where turn_id = turns.id) limit 1`;

async function takeKey(queries: Queries, jobs: JobQueue, key: string): Promise<Reaped> {
  const { rows } = await queries.query(
    `select queue, job from work where key = $1 and ${isExpiredSql} for update skip locked`,
    [key],
  );
  const [work] = rows;
  // It was renewed, or another worker handles it.
  if (work === undefined) return nothing;
  // Some worker must log it first: after this, no worker would look for it.
  if ((await queries.query(unrecordedSql, [key])).count > 0) return nothing;
  const queue = await queueOf(queries, key, work);
  const ended = await queries.query(
    `update turns set state = 'interrupted', input = null, ended_at = now() where key = $1 and state = 'running' returning id`,
    [key],
  );
  // The fence grows here too, which invalidates the lost worker's.
  await queries.query(
    "update work set owner = null, lease_until = null, job = null, fence = fence + 1 where key = $1",
    [key],
  );
  if (typeof work["job"] === "string") await jobs.remove(work["job"], queries);
  const waiting = await queries.query("select 1 from turns where key = $1 and state = 'queued' limit 1", [key]);
  if (waiting.count > 0) await jobs.send(queue, key, queries);
  return { interrupted: ended.rows.map(({ id }) => String(id)), queues: waiting.count > 0 ? [queue] : [] };
}

/** Removes the job of a worker that died between fetching it and claiming its key, since it blocks all others, and sends one. */
async function sendAgain(
  queries: Queries,
  jobs: JobQueue,
  key: string,
  orphans: readonly OrphanedJob[],
): Promise<string | undefined> {
  const { rows } = await queries.query("select queue, owner, job from work where key = $1 for update", [key]);
  const [work] = rows;
  // One of them may have been claimed just now.
  for (const { id } of orphans) if (id !== work?.["job"]) await jobs.remove(id, queries);
  if (work === undefined || work["owner"] !== null) return undefined;
  const waiting = await queries.query("select 1 from turns where key = $1 and state = 'queued' limit 1", [key]);
  if (waiting.count === 0) return undefined;
  const queue = await queueOf(queries, key, work);
  await jobs.send(queue, key, queries);
  return queue;
}

/**
 * A conversation of the stateless doors does not wait for its machine: any worker can go on with its session. The caller has locked the
 * row.
 */
async function queueOf(queries: Queries, key: string, work: Row): Promise<string> {
  const { count } = await queries.query(
    `update work set queue = $2 where key = $1 and kind = 'conversation' and ${machineAwaySql}`,
    [key, ANYWHERE],
  );
  return count > 0 ? ANYWHERE : String(work["queue"]);
}
