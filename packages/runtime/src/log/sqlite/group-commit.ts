import { CaretError } from "@caret/protocol";
import type { Checkpoints } from "./checkpoints.ts";
import { createCommitCredit } from "./commit-credit.ts";
import { createCommitTimer } from "./commit-timer.ts";
import type { LogConnection, OpenLog } from "./log-connection.ts";
import type { LogTables } from "./log-tables.ts";
import { inTransaction } from "./open-database.ts";
import { createPatientJobs } from "./patient-jobs.ts";
import { isHeldByOthers, waitBeforeRetry } from "./retry-while-held.ts";
import type { WalSync } from "./wal-sync.ts";

export interface GroupCommit {
  /**
   * Runs `work`, whose weight is given in small events, in the next transaction and resolves once that is durable. `work` may refuse by
   * throwing a CaretError before writing anything; the rest of its transaction is still committed. While another process holds the log
   * nothing is lost and the order is kept; `work` is refused as `overloaded` only after its maximum wait.
   */
  run<Result>(events: number, work: (tables: LogTables) => Result, options?: RunOptions): Promise<Result>;
  /** Limits how long any current or later job waits for a log held by another process. */
  limitWaits(ms: number): void;
  /** Commits what waits now. Resolves when everything is settled, with only a short delay if another process holds the log. */
  drain(): Promise<void>;
}

export interface RunOptions {
  /** The result is not awaited: it may be committed `patienceMs` later, together with other such jobs. */
  readonly isPatient?: boolean;
  /** A client waits for this job alone: it is committed before the next turn of the loop, if there is little to write. */
  readonly isUrgent?: boolean;
  /** Lets an agent start first, which then works on its own: committed on the next turn of the loop, however much there is to write. */
  readonly givesWay?: boolean;
  /** The session it writes. A session's jobs are committed in order, so a job takes its session's patient ones along. */
  readonly about?: string;
  /** Never give up because another process holds the log. */
  readonly keepTrying?: boolean;
  /** Can be rebuilt from the rest of the log: resolves when committed, and reaches the disk with the next sync. */
  readonly isRemakeable?: boolean;
}

export interface GroupCommitOptions {
  readonly connection: LogConnection;
  readonly wal: Pick<WalSync, "sync" | "settled" | "isSyncing">;
  readonly checkpoints: Pick<Checkpoints, "note">;
  /** How long a job waits for a log held by another process. */
  readonly heldMs?: number;
  readonly maxDelayMs?: number;
  readonly patienceMs?: number;
  readonly maxEvents?: number;
  readonly monotonicMs?: () => number;
}

interface Job {
  readonly events: number;
  readonly isRemakeable: boolean;
  giveUpAt: number;
  readonly settled: Promise<unknown>;
  work(tables: LogTables): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export const HELD_MS = 10_000;
/** Closing waits only briefly for a log held by others: the next start finds the turns without an end. */
const DRAIN_MS = 2_000;

/**
 * Lets many writers share one disk sync. Under light load a job is committed at once, with everything else of the same tick, because a
 * caller waits for it; under heavy load there is one commit per `maxDelayMs` or `maxEvents`. Jobs that are not awaited have separate
 * commits, a few every `patienceMs`: a delta would be a row of its own in each of the other commits, but here it shares one with all that
 * arrived in between. A log held by another process is retried later, off the loop; the jobs keep their order.
 */
export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const { wal, maxDelayMs = 10, patienceMs = 200, maxEvents = 512, heldMs = HELD_MS } = options;
  const { monotonicMs = () => performance.now() } = options;
  const timer = createCommitTimer(wal, flush);
  const credit = createCommitCredit(maxDelayMs, monotonicMs);
  const patient = createPatientJobs<Job>({ patienceMs, maxJobs: maxEvents, onDue: flushDue });
  let jobs: Job[] = [];
  let waiting = 0;
  /** Attempts since another process took the log. */
  let retries = 0;
  let longestMs = Number.POSITIVE_INFINITY;

  function flush(): void {
    timer.clear();
    credit.spend(waiting);
    const group = takeUpTo(maxEvents, jobs);
    jobs = jobs.slice(group.length);
    if (group.length > 0 && commit(options, group) === "held") return waitForLog(group);
    retries = 0;
    waiting = weightOf(jobs);
    // More than one commit's worth has gathered: yield to the loop in between.
    if (jobs.length > 0) timer.setAnyhow(0);
  }

  function waitForLog(group: readonly Job[]): void {
    const now = monotonicMs();
    const [given, kept] = partition([...group, ...jobs], ({ giveUpAt }) => giveUpAt <= now);
    jobs = kept;
    waiting = weightOf(jobs);
    for (const job of given) job.reject(heldTooLong());
    retries = jobs.length === 0 ? 0 : retries + 1;
    if (jobs.length > 0) timer.setAnyhow(waitBeforeRetry(retries));
  }

  function join(taken: readonly Job[]): void {
    jobs.push(...taken);
    waiting += weightOf(taken);
  }

  function schedule(hurried: readonly Job[], givesWay: boolean): void {
    join(hurried);
    if (retries > 0) return;
    if (givesWay) timer.set(0);
    else if (waiting >= maxEvents) flush();
    else timer.set(credit.delayMs());
  }

  function flushDue(): void {
    join(patient.takeSome());
    if (retries === 0) flush();
  }

  function limitWaits(ms: number): void {
    longestMs = Math.min(longestMs, ms);
    const latest = monotonicMs() + ms;
    for (const job of [...jobs, ...patient.all()]) job.giveUpAt = Math.min(job.giveUpAt, latest);
  }

  return {
    run<Result>(events: number, work: (tables: LogTables) => Result, options: RunOptions = {}): Promise<Result> {
      const { isPatient = false, isUrgent = false, givesWay = false, about } = options;
      const { keepTrying = false, isRemakeable = false } = options;
      const giveUpAt = monotonicMs() + Math.min(longestMs, keepTrying ? Number.POSITIVE_INFINITY : heldMs);
      const job = jobOf({ events, giveUpAt, work, isRemakeable });
      if (isPatient) patient.add(about, job);
      else schedule([...patient.take(about), job], givesWay);
      // Under heavy load a separate commit would only delay the others.
      if (isUrgent && retries === 0 && credit.delayMs() <= 0) timer.setSoon();
      return job.settled as Promise<Result>;
    },
    limitWaits,
    async drain() {
      limitWaits(DRAIN_MS);
      join(patient.takeAll());
      const settled = Promise.allSettled(jobs.map((job) => job.settled));
      flush();
      await settled;
      await wal.settled();
    },
  };
}

function jobOf(asked: Pick<Job, "events" | "giveUpAt" | "work" | "isRemakeable">): Job {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  return { ...asked, settled: promise, resolve, reject };
}

type Disk = Pick<GroupCommitOptions, "connection" | "wal" | "checkpoints">;

/** `held`: another process holds the log; nothing was written and no promise settled. */
function commit(disk: Disk, jobs: readonly Job[]): "over" | "held" {
  try {
    const committed = disk.connection.use((log) => ({
      log,
      settle: inTransaction(log.database, () => jobs.map((job) => attempt(job, log.tables))),
    }));
    void acknowledge(disk, jobs, committed);
    return "over";
  } catch (reason) {
    const error = CaretError.from(reason);
    if (isHeldByOthers(error)) return "held";
    refuse(disk, jobs, error);
    return "over";
  }
}

/** A bug in one job must not fail the others: commit them one by one to find it. */
function refuse(disk: Disk, jobs: readonly Job[], error: CaretError): void {
  const isBug = error.code === "internal" && jobs.length > 1;
  for (const job of jobs) if (!isBug || commit(disk, [job]) === "held") job.reject(isBug ? heldTooLong() : error);
}

/** Results are reported only once their transaction is on disk, unless losing them would lose nothing. */
async function acknowledge(
  { connection, wal, checkpoints }: Disk,
  jobs: readonly Job[],
  { log, settle }: { readonly log: OpenLog; readonly settle: readonly (() => void)[] },
): Promise<void> {
  try {
    if (!jobs.every(({ isRemakeable }) => isRemakeable)) await wal.sync();
    for (const each of settle) each();
  } catch (reason) {
    const error = connection.distrust(log, reason);
    for (const job of jobs) job.reject(error);
    return;
  }
  try {
    checkpoints.note(weightOf(jobs), () => connection.use(({ journalPages }) => journalPages()));
  } catch {
    // The commit is durable. If the log cannot be read, or was closed in the meantime, the next commit reports that.
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

/** The first jobs up to the weight of one commit, at least one. */
function takeUpTo(maxEvents: number, jobs: readonly Job[]): readonly Job[] {
  let sum = 0;
  const tooMany = jobs.findIndex(({ events }) => {
    const isFull = sum >= maxEvents;
    sum += events;
    return isFull;
  });
  return tooMany === -1 ? jobs : jobs.slice(0, tooMany);
}

function weightOf(jobs: readonly Job[]): number {
  return jobs.reduce((sum, { events }) => sum + events, 0);
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): readonly [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function heldTooLong(): CaretError {
  return new CaretError("overloaded", "Another process held the event log for too long");
}
