import { CaretError } from "@caret/protocol";
import { type Job, PgBoss } from "pg-boss";
import { adviseOwner, createSchema } from "../database/migrate-database.ts";
import type { Database, Queries } from "../database/open-database.ts";
import { MACHINE_PREFIX } from "../members/machine-wait.ts";

/** The queue of work that any machine can do. */
export const ANYWHERE = "sessions.any";

/** The maximum pg-boss allows. A job lives as long as its key has work and must not go to a second worker meanwhile. */
const EXPIRE_SECONDS = 86_400;
/** A job only says "this key has work", so it never fails for good. */
const RETRY_LIMIT = 1_000_000;
/** Effectively off: by default pg-boss checks every five seconds for jobs that depend on other jobs, and we have none. */
const NEVER_SECONDS = 86_400;
const KEEP_DONE_SECONDS = 3_600;
const machinePattern = /^[\w-]{1,60}$/;

/** A key with work, as fetched by a worker. */
export interface KeyJob {
  readonly id: string;
  readonly retryCount: number;
  readonly queue: string;
  readonly key: string;
}

/** A fetched job without a worker: while it exists, every `send` to its queue for its key is a no-op. */
export interface OrphanedJob {
  readonly id: string;
  readonly key: string;
}

/** pg-boss as a fleet uses it: one job per key with work, not per turn. */
export interface JobQueue {
  /** Creates the queue unless it exists. */
  open(queue: string): Promise<void>;
  /** No-op if the key already has a waiting or running job. */
  send(queue: string, key: string, queries: Queries): Promise<void>;
  fetch(queue: string, count: number): Promise<readonly KeyJob[]>;
  complete(job: KeyJob, queries: Queries): Promise<void>;
  /** Removes a job of a worker that is gone, from any queue: its key's queue may have changed since it was sent. */
  remove(jobId: string, queries: Queries): Promise<void>;
  /** Jobs fetched a while ago under which nobody holds the key: their worker died before it claimed or completed. */
  findOrphans(): Promise<readonly OrphanedJob[]>;
  close(): Promise<void>;
}

export interface JobQueueOptions {
  readonly database: Database;
  /** Workers maintain the jobs; gateways only send them. */
  readonly isWorker: boolean;
  readonly onError: (error: CaretError) => void;
}

/** The queue of work that only one machine can do, since workspace and chats are there. */
export function machineQueue(machine: string): string {
  if (!machinePattern.test(machine))
    throw new CaretError("invalid-config", `A machine cannot be called ${JSON.stringify(machine)}`, {
      fix: "Use up to 60 letters, digits, hyphens and underscores.",
    });
  return MACHINE_PREFIX + machine;
}

/** Creates or updates pg-boss's tables as the owner of their schema, for gateways and workers with other roles. */
export async function installJobs(database: Database): Promise<void> {
  const errors: CaretError[] = [];
  const boss = await startBoss({ database, isWorker: false, onError: (error) => errors.push(error) });
  await boss.stop({ graceful: false, close: false });
  const [first] = errors;
  if (first !== undefined) throw first;
}

async function startBoss({ database, isWorker, onError }: JobQueueOptions): Promise<PgBoss> {
  const schema = jobSchema(database.schema);
  await createSchema(database, schema);
  const boss = new PgBoss({
    db: adapter(database),
    schema,
    createSchema: false,
    supervise: isWorker,
    schedule: false,
    flowIntervalSeconds: NEVER_SECONDS,
  });
  boss.on("error", (reason) => onError(CaretError.from(reason)));
  const stop = { graceful: false, close: false };
  await boss.start().catch(async (reason: unknown) => {
    // Its timers would keep a process alive that failed to start.
    await boss.stop(stop);
    return adviseOwner(reason);
  });
  return boss;
}

export function jobSchema(schema: string): string {
  return `${schema}_jobs`;
}

/** SQL condition for `findOrphans`. */
export const isOrphanSql = "state = 'active' and job is distinct from id and started_on < now() - interval '2 seconds'";

export async function openJobQueue(options: JobQueueOptions): Promise<JobQueue> {
  const { database } = options;
  const schema = jobSchema(database.schema);
  const boss = await startBoss(options);
  return {
    async open(queue) {
      await boss.createQueue(queue, {
        policy: "exclusive",
        expireInSeconds: EXPIRE_SECONDS,
        retryLimit: RETRY_LIMIT,
        deleteAfterSeconds: KEEP_DONE_SECONDS,
      });
    },
    async send(queue, key, queries) {
      await boss.send(queue, { key }, { singletonKey: key, db: adapter(queries) });
    },
    async fetch(queue, count) {
      const jobs: readonly Job<{ key: string }>[] = await boss.fetch<{ key: string }>(queue, { batchSize: count });
      return jobs.map(({ id, retryCount, data }) => ({ id, retryCount, queue, key: data.key }));
    },
    async complete({ queue, id, retryCount }, queries) {
      await boss.complete(queue, { id, retryCount }, null, { db: adapter(queries) });
    },
    async remove(jobId, queries) {
      const { rows } = await queries.query(`select name from ${schema}.job where id = $1`, [jobId]);
      for (const { name } of rows) await boss.deleteJob(String(name), jobId, { db: adapter(queries) });
    },
    async findOrphans() {
      const sql = `select id, key from ${schema}.job join work on key = singleton_key where ${isOrphanSql}`;
      const { rows } = await database.query(sql);
      return rows.map(({ id, key }) => ({ id: String(id), key: String(key) }));
    },
    async close() {
      await boss.stop({ graceful: false, close: false });
    },
  };
}

function adapter(queries: Queries) {
  return {
    async executeSql(text: string, values: unknown[] = []) {
      const { rows } = await queries.query(text, values);
      return { rows: rows as Record<string, unknown>[] };
    },
  };
}
