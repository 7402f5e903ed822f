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
   * Run `work`, which weighs as much as so many small events, in the next transaction and resolve once that is durable.
   * `work` may refuse by throwing a CaretError before it has written anything; the others in its transaction are then
   * committed all the same. While another process holds the log nothing is lost and the order stays; `work` is refused
   * as `overloaded` only when that lasts longer than it may wait.
   */
  run<Result>(events: number, work: (tables: LogTables) => Result, options?: RunOptions): Promise<Result>;
  /** No job, of now or later, waits longer than this for a log that another process holds. */
  limitWaits(ms: number): void;
  /** Commit now what waits. Resolves when everything is settled, which a log that others hold can delay only a little. */
  drain(): Promise<void>;
}

export interface RunOptions {
  /** Nobody waits for the result: it may be committed `patienceMs` later, with what else nobody waits for. */
  readonly isPatient?: boolean;
  /** A client waits for it and has to wait for nothing else so long: it is committed before the loop comes round, if there is little to write. */
  readonly isUrgent?: boolean;
  /** An agent is about to be started, which then works by itself: committed when the loop comes round, however much there is to write. */
  readonly givesWay?: boolean;
  /** The session it writes: of one session all is committed in its order, so that a job takes the patient ones along. */
  readonly about?: string;
  /** Never give up because another process holds the log. */
  readonly keepTrying?: boolean;
  /** It can be made again from what else is in the log: resolves when it is committed, and is on disk with the next sync. */
  readonly isRemakeable?: boolean;
}

export interface GroupCommitOptions {
  readonly connection: LogConnection;
  readonly wal: Pick<WalSync, "sync" | "settled" | "isSyncing">;
  readonly checkpoints: Pick<Checkpoints, "note">;
  /** How long a job waits for a log that another process holds. */
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
/** Closing does not wait long for a log that others hold: the next start finds the turns without an end. */
const DRAIN_MS = 2_000;

/**
 * Many writers share one sync of the disk. While there is little to write it is committed at once, together with
 * everything else that comes in the same tick, because a caller waits for it; under load there is one commit per
 * `maxDelayMs` or `maxEvents`. What nobody waits for stays out of these commits and has its own, every `patienceMs` a few: in
 * each of these a delta would be a row of its own, and in its own it shares one with all that came meanwhile. A log
 * that another process holds is tried again later, off the loop: the jobs keep their places meanwhile.
 */
export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const { wal, maxDelayMs = 10, patienceMs = 200, maxEvents = 512, heldMs = HELD_MS } = options;
  const { monotonicMs = () => performance.now() } = options;
  const timer = createCommitTimer(wal, flush);
  const credit = createCommitCredit(maxDelayMs, monotonicMs);
  const patient = createPatientJobs<Job>({ patienceMs, maxJobs: maxEvents, onDue: flushDue });
  let jobs: Job[] = [];
  let waiting = 0;
  /** How often the log was tried since another process took it. */
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
    // More than one commit's worth has gathered: the others get their turn on the loop in between.
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
      // While there is much to write, a commit of its own would only make the others later.
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

/** `held`: another process has the log. Nothing was written then, and no promise was settled. */
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

/** A bug in one job must not cost the others their commit: it is found by committing them one by one. */
function refuse(disk: Disk, jobs: readonly Job[], error: CaretError): void {
  const isBug = error.code === "internal" && jobs.length > 1;
  for (const job of jobs) if (!isBug || commit(disk, [job]) === "held") job.reject(isBug ? heldTooLong() : error);
}

/** Nobody hears of a result before the transaction that made it is on disk, unless losing it would lose nothing. */
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
    // What was committed is durable. A log that cannot be read, or was closed meanwhile, is reported by the next commit.
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

/** The first jobs that together weigh no more than one commit should, and one at least. */
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
