import { CaretError } from "@caret/protocol";
import { noteRefusal } from "@caret/runtime/log/process-owner.ts";
import { isConnectionLoss, isHeld } from "../database/database-error.ts";
import type { Database } from "../database/open-database.ts";
import { type AppendJob, planAppend, refuseAll } from "./append-job.ts";
import type { OrderedWork } from "./ordered-work.ts";
import type { Patience } from "./patience.ts";
import { findPlace, type SessionPlace } from "./session-sql.ts";
import { wasWritten, writeAppend } from "./write-append.ts";

/** Appends that nobody waits for are gathered for this long; after a pause, the first is written at once. */
const GATHER_MS = 15;
/** Number of sessions whose position is cached, so an append takes one statement. */
const MAX_PLACES = 2_000;

export interface AppendQueueOptions {
  readonly database: Database;
  readonly ordered: OrderedWork;
  readonly patience: Patience;
  readonly fenceOf: (sessionId: string) => number | undefined;
  readonly owner: string;
  readonly now: () => number;
  readonly rawMaxBytes: number;
  readonly onCommit: (sessionId: string, lastSeq: number) => void;
}

export interface AppendQueue {
  /** `isPatient`: nobody waits for it. */
  add(sessionId: string, job: AppendJob, isPatient: boolean): void;
  /** The next operation on the session is not an append: pending appends are written before it, without further delay. */
  close(sessionId: string): void;
}

interface Group {
  readonly jobs: AppendJob[];
  readonly hurry: () => void;
}

/** Appends to a session that arrive while an earlier one is in progress are combined into one statement. */
export function createAppendQueue(options: AppendQueueOptions): AppendQueue {
  const { ordered } = options;
  const open = new Map<string, Group>();
  const startedAt = new Map<string, number>();
  const write = createGroupWriter(options);

  function begin(sessionId: string, keys: readonly string[]): Group {
    const ready = Promise.withResolvers<void>();
    const group: Group = { jobs: [], hurry: ready.resolve };
    const idleMs = performance.now() - (startedAt.get(sessionId) ?? Number.NEGATIVE_INFINITY);
    const timer = setTimeout(ready.resolve, Math.max(0, GATHER_MS - idleMs));
    open.set(sessionId, group);
    void ordered.run([sessionId, ...keys], async () => {
      await ready.promise;
      clearTimeout(timer);
      if (open.get(sessionId) === group) open.delete(sessionId);
      remember(startedAt, sessionId, performance.now());
      await write(sessionId, group.jobs);
    });
    return group;
  }

  function close(sessionId: string): void {
    open.get(sessionId)?.hurry();
    open.delete(sessionId);
  }

  return {
    add(sessionId, job, isPatient) {
      // A job with a command can be refused after others were written, so it gets its own group.
      if (job.command !== undefined || open.get(sessionId)?.jobs[0]?.copied !== job.copied) close(sessionId);
      const keys = job.command === undefined ? [] : [commandKey(job.command.name)];
      const group = open.get(sessionId) ?? begin(sessionId, keys);
      group.jobs.push(job);
      if (!isPatient) group.hurry();
      if (job.command !== undefined) close(sessionId);
    },
    close,
  };
}

/** Serialises commands with the same name. */
export function commandKey(name: string): string {
  return `command ${name}`;
}

function createGroupWriter(options: AppendQueueOptions) {
  const { database, patience, fenceOf, owner, now, rawMaxBytes, onCommit } = options;
  const places = new Map<string, SessionPlace>();

  /** Undefined if the session has moved on since it was read. */
  async function attempt(
    sessionId: string,
    jobs: readonly AppendJob[],
    remembered: SessionPlace | undefined,
  ): Promise<Settled | undefined> {
    const keepTrying = jobs.some((job) => job.keepTrying);
    const place = remembered ?? (await patience.retry(() => findPlace(database, sessionId), { keepTrying }));
    if (place === undefined) return { taken: [], refused: refuseAll(jobs, sessionId) };
    const context = { sessionId, place, fence: fenceOf(sessionId), now: now(), rawMaxBytes };
    const plan = planAppend(jobs, context);
    // The cached position can be stale: never refuse or answer by it.
    if (remembered !== undefined && (plan.refused.length > 0 || plan.stored.length === 0)) return undefined;
    if (plan.stored.length === 0) return plan;
    const { command, copied = false } = jobs[0] ?? {};
    const append = { ...context, before: place, after: plan.progress, stored: plan.stored, owner, command, copied };
    const onUnknown = () => wasWritten(database, append);
    if (!(await patience.retry(() => writeAppend(database, append), { keepTrying, onUnknown }))) return undefined;
    remember(places, sessionId, { ...place, progress: plan.progress });
    onCommit(sessionId, plan.progress.lastSeq);
    return plan;
  }

  async function write(sessionId: string, jobs: readonly AppendJob[]): Promise<void> {
    let remembered = places.get(sessionId);
    places.delete(sessionId);
    for (;;) {
      const settled = await attempt(sessionId, jobs, remembered);
      if (settled !== undefined) return settle(settled);
      remembered = undefined;
    }
  }

  const writeOrRefuse = async (sessionId: string, jobs: readonly AppendJob[]): Promise<void> => {
    try {
      await write(sessionId, jobs);
    } catch (reason) {
      if (jobs.length > 1 && !isConnectionLoss(reason) && !isHeld(reason)) return await oneByOne(sessionId, jobs);
      for (const job of jobs) refuse(job, CaretError.from(reason));
    }
  };

  /** A value that the database rejects must fail only its own append. */
  async function oneByOne(sessionId: string, jobs: readonly AppendJob[]): Promise<void> {
    for (const job of jobs) await writeOrRefuse(sessionId, [job]);
  }

  return writeOrRefuse;
}

interface Settled {
  readonly taken: ReturnType<typeof planAppend>["taken"];
  readonly refused: ReturnType<typeof planAppend>["refused"];
}

function settle({ taken, refused }: Settled): void {
  for (const { job, error } of refused) refuse(job, error);
  for (const { job, stored } of taken) job.resolve(stored);
}

function refuse(job: AppendJob, error: CaretError): void {
  noteRefusal(job.writer, error);
  job.reject(error);
}

/** Evicts the least recently used. */
function remember<Value>(all: Map<string, Value>, key: string, value: Value): void {
  all.delete(key);
  all.set(key, value);
  const [oldest] = all.keys();
  if (all.size > MAX_PLACES && oldest !== undefined) all.delete(oldest);
}
