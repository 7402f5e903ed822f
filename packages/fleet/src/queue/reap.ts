import type { Database, Queries, Row } from "../database/open-database.ts";
import { machineAwaySql } from "../members/machine-wait.ts";
import { severalAtOnce } from "../wire/several-at-once.ts";
import { ANYWHERE, type JobQueue, type OrphanedJob } from "./job-queue.ts";

/** A key whose worker has not renewed its lease. */
export const isExpiredSql = "owner is not null and lease_until < now()";
/** A turn that has waited for a while although nobody has its key. */
export const isForgottenSql = "(state = 'queued' and owner is null and submitted_at < now() - interval '2 seconds')";
const MANY = 100;
/** Keys that are handed on at the same time. */
const AT_ONCE = 4;

export interface Reaped {
  /** Turns that were started by workers which are lost: they are never started again by themselves. */
  readonly interrupted: readonly string[];
  /** Queues that have jobs again. */
  readonly queues: readonly string[];
}

/**
 * Takes keys from workers whose lease has run out, and sends jobs for turns that have none. Any worker may do it at any time,
 * several at once too.
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

/** A turn of a session that a lost worker had taken, and that is in no log: its client may follow the session until its end. */
const unrecordedSql = `select 1 from turns join work using (key) join sessions on sessions.id = turns.key
  where key = $1 and kind = 'session' and state = 'running' and input is not null
    and not exists (select 1 from logged_turns where turn_id = turns.id) limit 1`;

async function takeKey(queries: Queries, jobs: JobQueue, key: string): Promise<Reaped> {
  const { rows } = await queries.query(
    `select queue, job from work where key = $1 and ${isExpiredSql} for update skip locked`,
    [key],
  );
  const [work] = rows;
  // Renewed, or another worker does it.
  if (work === undefined) return nothing;
  // It is written to the log first, by whichever worker comes to it: from here on no worker would look for it.
  if ((await queries.query(unrecordedSql, [key])).count > 0) return nothing;
  const queue = await queueOf(queries, key, work);
  const ended = await queries.query(
    `update turns set state = 'interrupted', input = null, ended_at = now() where key = $1 and state = 'running' returning id`,
    [key],
  );
  // The number grows here too: the lost worker's own is worth nothing from now on.
  await queries.query(
    "update work set owner = null, lease_until = null, job = null, fence = fence + 1 where key = $1",
    [key],
  );
  if (typeof work["job"] === "string") await jobs.remove(work["job"], queries);
  const waiting = await queries.query("select 1 from turns where key = $1 and state = 'queued' limit 1", [key]);
  if (waiting.count > 0) await jobs.send(queue, key, queries);
  return { interrupted: ended.rows.map(({ id }) => String(id)), queues: waiting.count > 0 ? [queue] : [] };
}

/** A worker that died between fetching a job and claiming its key has left a job that keeps every other one away. */
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

/** A conversation of the stateless doors does not wait for its machine: any worker goes on with its session. The row is locked. */
async function queueOf(queries: Queries, key: string, work: Row): Promise<string> {
  const { count } = await queries.query(
    `update work set queue = $2 where key = $1 and kind = 'conversation' and ${machineAwaySql}`,
    [key, ANYWHERE],
  );
  return count > 0 ? ANYWHERE : String(work["queue"]);
}
