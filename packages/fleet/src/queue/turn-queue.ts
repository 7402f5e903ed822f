import type { Database, Queries } from "../database/open-database.ts";
import { LEASE_MS } from "../members/members.ts";
import type { Reply } from "../wire/reply.ts";
import type { Sealer } from "../wire/sealer.ts";
import { ANYWHERE, type JobQueue, type KeyJob } from "./job-queue.ts";

/** Maximum age of a claim: its job is handed over well before it expires. */
const JOB_AGE_MS = 12 * 3_600_000;

/**
 * Turns of a session run one after another; requests of a conversation run concurrently, since one can bring results for another's calls.
 */
export type WorkKind = "session" | "conversation";

export interface NewTurn {
  readonly id: string;
  readonly key: string;
  readonly kind: WorkKind;
  readonly queue: string;
  /** Requests with the same key are the same turn, at any gateway. */
  readonly idempotencyKey: string | undefined;
  readonly input: unknown;
}

/** One key held by one worker. */
export interface Claim {
  readonly key: string;
  readonly kind: WorkKind;
  /** Unique: no earlier claim of the key has this number. */
  readonly fence: number;
  readonly job: KeyJob;
  /** By this process's clock. */
  readonly claimedAt: number;
}

export interface TakenTurn {
  readonly id: string;
  readonly input: unknown;
  /** Time in the queue. */
  readonly waitedMs: number;
}

export interface NextOptions {
  /** Turns that have ended since the last call. */
  readonly ended: readonly string[];
  /** No turn of the key is running, so the key can be given up if none waits either. */
  readonly isIdle: boolean;
  /** The worker takes no more turns and leaves queued ones to others. */
  readonly isLeaving: boolean;
  /**
   * Given after a call that failed but may have been committed: all turns taken under the claim whose end is not in the database. A running
   * turn not listed was started by that call and never heard of, so it is queued again.
   */
  readonly known?: readonly string[] | undefined;
}

/** `lost`: another worker has the key. `over`: the key was given up. `later`: wait, something runs. */
export type Next = TakenTurn | "lost" | "over" | "later";

export interface TurnQueue {
  /** Returns the turn's id: that of an earlier submission under the same idempotency key, if one exists. */
  submit(turn: NewTurn): Promise<string>;
  /** Undefined if another worker holds the key or its queue has changed: the job was not needed. */
  claim(job: KeyJob): Promise<Claim | undefined>;
  /** The next turn of a key, started by this call and by no other; or the end of the claim. */
  next(claim: Claim, options: NextOptions): Promise<Next>;
  /** Stores the answer for the gateway: how the turn began, or why it did not, which frees its idempotency key. */
  answer(claim: Claim, turnId: string, reply: Reply): Promise<void>;
}

export interface TurnQueueOptions {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly sealer: Sealer;
  /** The worker's name. */
  readonly owner: string;
  /** The queue of the worker's machine; conversations it begins stay there. */
  readonly home: string;
  readonly now: () => number;
}

export function createTurnQueue(options: TurnQueueOptions): TurnQueue {
  const { database, jobs, sealer, owner, home, now } = options;
  return {
    submit: (turn) => database.transaction((queries) => submitTurn(queries, jobs, sealer, turn)),

    claim: (job) =>
      database.transaction(async (queries) => {
        const { rows } = await queries.query(
          `update work set fence = fence + 1, owner = $2, job = $3, lease_until = now() + $4 * interval '1 millisecond',
             queue = case kind when 'conversation' then $5 else queue end
           where key = $1 and owner is null and queue = $6 returning fence, kind`,
          [job.key, owner, job.id, LEASE_MS, home, job.queue],
        );
        const [row] = rows;
        if (row !== undefined)
          return { key: job.key, kind: row["kind"] as WorkKind, fence: Number(row["fence"]), job, claimedAt: now() };
        await jobs.complete(job, queries);
        return undefined;
      }),

    next: (claim, how) => database.transaction((queries) => nextTurn(queries, options, claim, how)),

    async answer({ fence }, turnId, reply) {
      const keepsKey = "ok" in reply;
      await database.query(
        `update turns set answer = $3, idempotency_key = case when $4 then idempotency_key end
         where id = $1 and fence = $2`,
        [turnId, fence, sealer.seal(reply), keepsKey],
      );
    },
  };
}

/**
 * Locks the key's row before writing the turn; a worker giving up the key locks it while it looks for turns and completes the job. Without
 * the lock the worker could miss the turn, while the job it is about to complete makes `send` a no-op.
 */
async function submitTurn(queries: Queries, jobs: JobQueue, sealer: Sealer, turn: NewTurn): Promise<string> {
  const { id, key, kind, queue, idempotencyKey = null, input } = turn;
  await queries.query(
    "insert into work (key, kind, queue) values ($1, $2, $3) on conflict (key) do update set queue = excluded.queue",
    [key, kind, queue],
  );
  const submitted = await insertTurn(queries, { id, key, idempotencyKey, input: sealer.seal(input) });
  await jobs.send(queue, key, queries);
  return submitted;
}

/** A turn that could not begin frees its idempotency key, possibly between the two statements: then the insert is retried. */
async function insertTurn(
  queries: Queries,
  { id, key, idempotencyKey, input }: Readonly<Record<"id" | "key", string>> & Inserted,
): Promise<string> {
  for (;;) {
    const inserted = await queries.query(
      `insert into turns (id, key, idempotency_key, input) values ($1, $2, $3, $4)
       on conflict (idempotency_key) do nothing returning id`,
      [id, key, idempotencyKey, input],
    );
    if (inserted.count > 0) return id;
    const { rows } = await queries.query("select id from turns where idempotency_key = $1", [idempotencyKey]);
    if (rows[0] !== undefined) return String(rows[0]["id"]);
  }
}

interface Inserted {
  readonly idempotencyKey: string | null;
  readonly input: Uint8Array;
}

async function nextTurn(queries: Queries, options: TurnQueueOptions, claim: Claim, how: NextOptions): Promise<Next> {
  const { key, fence } = claim;
  const { rows: held } = await queries.query("select fence, owner, queue from work where key = $1 for update", [key]);
  const [work] = held;
  if (Number(work?.["fence"]) !== fence || work?.["owner"] !== options.owner) return "lost";
  if (how.ended.length > 0)
    await queries.query(
      `update turns set state = 'done', input = null, ended_at = now()
       where id = any($1) and fence = $2 and state = 'running'`,
      [how.ended, fence],
    );
  if (how.known !== undefined)
    await queries.query(
      `update turns set state = 'queued', fence = null, started_at = null
       where key = $1 and fence = $2 and state = 'running' and id <> all($3)`,
      [key, fence, how.known],
    );
  // True if the session was moved to another machine.
  const isMoved = work["queue"] !== options.home && work["queue"] !== ANYWHERE;
  const mustLeave = how.isLeaving || isMoved || options.now() - claim.claimedAt > JOB_AGE_MS;
  const taken = mustLeave ? undefined : await takeTurn(queries, options.sealer, claim);
  if (taken !== undefined) return taken;
  if (!how.isIdle) return "later";
  await options.jobs.complete(claim.job, queries);
  await queries.query("update work set owner = null, lease_until = null, job = null where key = $1", [key]);
  const waiting = await queries.query("select 1 from turns where key = $1 and state = 'queued' limit 1", [key]);
  if (waiting.count > 0) await options.jobs.send(String(work["queue"]), key, queries);
  return "over";
}

async function takeTurn(queries: Queries, sealer: Sealer, { key, fence }: Claim): Promise<TakenTurn | undefined> {
  const { rows } = await queries.query(
    `update turns set state = 'running', fence = $2, started_at = now()
     where id = (select id from turns where key = $1 and state = 'queued' order by position limit 1)
     returning id, input, floor(extract(epoch from now() - submitted_at) * 1000)::bigint as waited`,
    [key, fence],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return { id: String(row["id"]), input: sealer.open(row["input"] as Uint8Array), waitedMs: Number(row["waited"]) };
}
