import { CaretError } from "@caret/protocol";
import type { LogConnection } from "./log-connection.ts";
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
  /** The session it writes: of one session all is committed in its order, so that a job takes the patient ones along. */
  readonly about?: string;
  /** Never give up because another process holds the log. */
  readonly keepTrying?: boolean;
}

export interface GroupCommitOptions {
  readonly connection: LogConnection;
  readonly wal: Pick<WalSync, "sync" | "settled">;
  /** How long a job waits for a log that another process holds. */
  readonly heldMs?: number;
  readonly maxDelayMs?: number;
  readonly patienceMs?: number;
  readonly maxEvents?: number;
  readonly monotonicMs?: () => number;
}

interface Job {
  readonly events: number;
  giveUpAt: number;
  readonly settled: Promise<unknown>;
  work(tables: LogTables): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** How many commits may follow each other at once after a quiet time. */
const BURST = 4;
/** A commit of less counts as a part of one, so that a few turns alone never wait: only many of them, or a flood, do. */
const FULL_COMMIT = 16;
export const HELD_MS = 10_000;
/** Closing does not wait long for a log that others hold: the next start finds the turns without an end. */
const DRAIN_MS = 2_000;

/**
 * Many writers share one sync of the disk. While there is little to write it is committed at once, together with
 * everything else that comes in the same tick, because a caller waits for it; under load there is one commit per
 * `maxDelayMs` or `maxEvents`. What nobody waits for stays out of these commits and has its own, one per `patienceMs`: in
 * each of these a delta would be a row of its own, and in its own it shares one with all that came meanwhile. A log
 * that another process holds is tried again later, off the loop: the jobs keep their places meanwhile.
 */
export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const { wal, maxDelayMs = 10, patienceMs = 200, maxEvents = 512, heldMs = HELD_MS } = options;
  const { monotonicMs = () => performance.now() } = options;
  const timer = createOneTimer();
  const patience = createOneTimer();
  const patient = createPatientJobs<Job>();
  let jobs: Job[] = [];
  let waiting = 0;
  /** Commits that may be made at once. Each full one takes one, and time gives one back every `maxDelayMs`. */
  let credit = BURST;
  let countedAt = monotonicMs();
  /** How often the log was tried since another process took it. */
  let retries = 0;
  let longestMs = Number.POSITIVE_INFINITY;

  function flush(): void {
    timer.clear();
    credit = Math.max(0, currentCredit() - Math.min(1, waiting / FULL_COMMIT));
    const group = takeUpTo(maxEvents, jobs);
    jobs = jobs.slice(group.length);
    if (group.length > 0 && commit(options, group) === "held") return waitForLog(group);
    retries = 0;
    waiting = weightOf(jobs);
    // More than one commit's worth has gathered: the others get their turn on the loop in between.
    if (jobs.length > 0) timer.set(flush, 0);
  }

  function waitForLog(group: readonly Job[]): void {
    const now = monotonicMs();
    const [given, kept] = partition([...group, ...jobs], ({ giveUpAt }) => giveUpAt <= now);
    jobs = kept;
    waiting = weightOf(jobs);
    for (const job of given) job.reject(heldTooLong());
    retries = jobs.length === 0 ? 0 : retries + 1;
    if (jobs.length > 0) timer.set(flush, waitBeforeRetry(retries));
  }

  function currentCredit(): number {
    const now = monotonicMs();
    credit = Math.min(BURST, credit + (now - countedAt) / maxDelayMs);
    countedAt = now;
    return credit;
  }

  function join(taken: readonly Job[]): void {
    jobs.push(...taken);
    waiting += weightOf(taken);
  }

  /** What was patient has waited long enough, or there is enough of it. */
  function joinPatient(): void {
    patience.clear();
    join(patient.takeAll());
    if (retries === 0) flush();
  }

  function limitWaits(ms: number): void {
    longestMs = Math.min(longestMs, ms);
    const latest = monotonicMs() + ms;
    for (const job of [...jobs, ...patient.all()]) job.giveUpAt = Math.min(job.giveUpAt, latest);
  }

  return {
    run<Result>(
      events: number,
      work: (tables: LogTables) => Result,
      { isPatient = false, keepTrying = false, about }: RunOptions = {},
    ): Promise<Result> {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const giveUpAt = monotonicMs() + Math.min(longestMs, keepTrying ? Number.POSITIVE_INFINITY : heldMs);
      const job = { events, giveUpAt, settled: promise, work, resolve, reject };
      if (isPatient) {
        patient.add(about, job);
        if (patient.size >= maxEvents) joinPatient();
        else if (!patience.isSet()) patience.set(joinPatient, patienceMs);
        return promise as Promise<Result>;
      }
      join([...patient.take(about), job]);
      if (retries === 0) {
        if (waiting >= maxEvents) flush();
        else if (!timer.isSet()) timer.set(flush, (1 - currentCredit()) * maxDelayMs);
      }
      return promise as Promise<Result>;
    },
    limitWaits,
    async drain() {
      limitWaits(DRAIN_MS);
      patience.clear();
      join(patient.takeAll());
      const settled = Promise.allSettled(jobs.map((job) => job.settled));
      flush();
      await settled;
      await wal.settled();
    },
  };
}

type Disk = Pick<GroupCommitOptions, "connection" | "wal">;

/** `held`: another process has the log. Nothing was written then, and no promise was settled. */
function commit(disk: Disk, jobs: readonly Job[]): "over" | "held" {
  try {
    const settle = disk.connection.use(({ database, tables }) =>
      inTransaction(database, () => jobs.map((job) => attempt(job, tables))),
    );
    void acknowledge(disk, jobs, settle);
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

interface OneTimer {
  /** At most one is set; without a wait it fires as soon as the loop comes round. */
  set(work: () => void, delayMs: number): void;
  clear(): void;
  isSet(): boolean;
}

function createOneTimer(): OneTimer {
  let cancel: (() => void) | undefined;
  const clear = (): void => {
    cancel?.();
    cancel = undefined;
  };
  return {
    set(work, delayMs) {
      clear();
      if (delayMs > 0) {
        const timer = setTimeout(work, delayMs);
        cancel = () => clearTimeout(timer);
      } else {
        const timer = setImmediate(work);
        cancel = () => clearImmediate(timer);
      }
    },
    clear,
    isSet: () => cancel !== undefined,
  };
}
