import { CaretError } from "@caret/protocol";
import { inTransaction } from "./in-transaction.ts";
import type { LogConnection } from "./log-connection.ts";
import type { LogTables } from "./log-tables.ts";
import type { WalSync } from "./wal-sync.ts";

export interface GroupCommit {
  /**
   * Run `work`, which weighs as much as so many small events, in the next transaction and resolve once that is durable.
   * `work` may refuse by throwing a CaretError before it has written anything; the others in its transaction are then
   * committed all the same.
   */
  run<Result>(events: number, work: (tables: LogTables) => Result, options?: RunOptions): Promise<Result>;
  /** Commit now what waits. Resolves when everything is settled. */
  drain(): Promise<void>;
}

export interface RunOptions {
  /** Nobody waits for the result: it may be committed `patienceMs` later, with what else has come until then. */
  readonly isPatient?: boolean;
}

export interface GroupCommitOptions {
  readonly connection: LogConnection;
  readonly wal: Pick<WalSync, "sync" | "settled">;
  readonly maxDelayMs?: number;
  readonly patienceMs?: number;
  readonly maxEvents?: number;
  readonly monotonicMs?: () => number;
}

interface Job {
  work(tables: LogTables): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** How many commits may follow each other at once after a quiet time. */
const BURST = 4;
/** A commit of less counts as a part of one, so that a few turns alone never wait: only many of them, or a flood, do. */
const FULL_COMMIT = 16;

/**
 * Many writers share one sync of the disk. While there is little to write it is committed at once, together with
 * everything else that comes in the same tick, because somebody waits for it; under load there is one commit per
 * `maxDelayMs` or `maxEvents`. What nobody waits for waits for company.
 */
export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const { wal, maxDelayMs = 10, patienceMs = 50, maxEvents = 512 } = options;
  const { monotonicMs = () => performance.now() } = options;
  let jobs: Job[] = [];
  let waiting = 0;
  /** Commits that may be made at once. Each full one takes one, and time gives one back every `maxDelayMs`. */
  let credit = BURST;
  let countedAt = monotonicMs();
  let cancelTimer: (() => void) | undefined;
  let isTimerPatient = false;

  function flush(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    const group = jobs;
    credit = Math.max(0, currentCredit() - Math.min(1, waiting / FULL_COMMIT));
    jobs = [];
    waiting = 0;
    if (group.length > 0) commit(options, group);
  }

  function currentCredit(): number {
    const now = monotonicMs();
    credit = Math.min(BURST, credit + (now - countedAt) / maxDelayMs);
    countedAt = now;
    return credit;
  }

  function schedule(isPatient: boolean): void {
    cancelTimer?.();
    isTimerPatient = isPatient;
    const delayMs = isPatient ? patienceMs : (1 - currentCredit()) * maxDelayMs;
    if (delayMs > 0) {
      const timer = setTimeout(flush, delayMs);
      cancelTimer = () => clearTimeout(timer);
    } else {
      const timer = setImmediate(flush);
      cancelTimer = () => clearImmediate(timer);
    }
  }

  return {
    run<Result>(
      events: number,
      work: (tables: LogTables) => Result,
      { isPatient = false }: RunOptions = {},
    ): Promise<Result> {
      return new Promise((resolve, reject) => {
        jobs.push({ work, resolve: resolve as (result: unknown) => void, reject });
        waiting += events;
        if (waiting >= maxEvents) flush();
        else if (cancelTimer === undefined || (isTimerPatient && !isPatient)) schedule(isPatient);
      });
    },
    async drain() {
      flush();
      await wal.settled();
    },
  };
}

type Disk = Pick<GroupCommitOptions, "connection" | "wal">;

function commit(disk: Disk, jobs: readonly Job[]): void {
  try {
    const settle = disk.connection.use(({ database, tables }) =>
      inTransaction(database, () => jobs.map((job) => attempt(job, tables))),
    );
    void acknowledge(disk, jobs, settle);
  } catch (reason) {
    const error = CaretError.from(reason);
    // A bug in one job must not cost the others their commit: it is found by committing them one by one.
    if (error.code === "internal" && jobs.length > 1) for (const job of jobs) commit(disk, [job]);
    else for (const job of jobs) job.reject(error);
  }
}

/** Nobody hears of a result before the transaction that made it is on disk. */
async function acknowledge(
  { connection, wal }: Disk,
  jobs: readonly Job[],
  settle: readonly (() => void)[],
): Promise<void> {
  try {
    await wal.sync();
    for (const each of settle) each();
  } catch (reason) {
    const error = connection.distrust(reason);
    for (const job of jobs) job.reject(error);
  }
}

function attempt(job: Job, tables: LogTables): () => void {
  try {
    const result = job.work(tables);
    return () => job.resolve(result);
  } catch (reason) {
    if (!CaretError.is(reason)) throw reason;
    return () => job.reject(reason);
  }
}
