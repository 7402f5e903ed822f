import { CaretError } from "@caret/protocol";
import { type EventStore, interruptRunningTurns, type SessionEngine } from "@caret/runtime";
import type { Database } from "../database/open-database.ts";
import type { JobQueue } from "../queue/job-queue.ts";
import { reapWork } from "../queue/reap.ts";
import type { SessionLeases } from "../queue/session-leases.ts";
import { isEndedSql, isUnrecordedSql } from "../queue/unended.ts";
import type { HintListener } from "../seat/hint-listener.ts";
import type { Notifier } from "../wire/notifier.ts";
import { isSeenDead } from "../wire/process-name.ts";
import type { Sealer } from "../wire/sealer.ts";
import { severalAtOnce } from "../wire/several-at-once.ts";
import type { NativeInput } from "../wire/turn-input.ts";
import { withdrawn } from "../wire/withdrawn.ts";
import type { RunNativeTurnOptions } from "./run-native-turn.ts";

/** How often to check whether processes of this machine have died; this does not query the database. */
const LOOK_MS = 1_000;
const TIDY_MS = 60_000;
/** Sessions ended concurrently: half of the connections, so turns that run here can still append. */
const AT_ONCE = 4;

export interface ReapLostOptions {
  readonly database: Database;
  /** This worker's name. */
  readonly owner: string;
  readonly jobs: JobQueue;
  readonly listener: Pick<HintListener, "on" | "again">;
  readonly sessions: SessionLeases;
  /** Holds a session while its lost turns are ended: a turn that begins here meanwhile is not lost and needs the lease. */
  readonly engine: Pick<SessionEngine, "holdSession">;
  readonly store: EventStore;
  readonly sealer: Sealer;
  readonly recordUnbegun: RunNativeTurnOptions["recordUnbegun"];
  readonly notifier: Notifier;
  readonly onError: (error: CaretError) => void;
}

/**
 * Cleans up after lost workers: ends their turns and hands on their work. Runs when there is something to clean up, when another process of
 * this machine appears, and when one dies. Returns `stop()`.
 */
export function reapLost(options: ReapLostOptions): () => Promise<void> {
  const { database, owner, jobs, listener, notifier, onError } = options;
  let neighbours: readonly string[] = [];
  let isWanted = false;
  let running: Promise<void> | undefined;

  const reap = async (): Promise<void> => {
    neighbours = await expireDead(options);
    await endTurns(options);
    await hideEnded(options);
    await recordLost(options);
    const { interrupted, queues } = await reapWork(database, jobs);
    for (const id of interrupted) notifier.hint({ kind: "turn", id });
    for (const id of queues) notifier.hint({ kind: "work", id });
  };
  const failed = (reason: unknown): void => {
    listener.again("lost", undefined);
    onError(CaretError.from(reason));
  };
  const reapAll = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false;
      await reap().catch(failed);
    }
    running = undefined;
  };
  const start = (): void => {
    isWanted = true;
    running ??= reapAll();
  };
  const lookAround = (): void => {
    if (neighbours.some((name) => isSeenDead(name, owner))) start();
  };
  const ends = [listener.on("lost", undefined, start), listener.on("neighbours", machineOf(owner), start)];
  const timers = [setInterval(lookAround, LOOK_MS), setInterval(() => void tidy(database).catch(failed), TIDY_MS)];
  // At once, so even workers that are killed soon after their start get to it.
  start();
  return async () => {
    for (const timer of timers) clearInterval(timer);
    for (const end of ends) end();
    await running;
  };
}

function machineOf(owner: string): string {
  return owner.split("/")[0] ?? owner;
}

/**
 * Expires the leases of dead processes of this machine early and removes them from the members, so nobody asks them for anything. Returns
 * the names of those that live, or may.
 */
async function expireDead({ database, owner }: ReapLostOptions): Promise<readonly string[]> {
  const { rows } = await database.query(
    `select distinct owner from (
       select owner from work union all select owner from sessions union all select id from members
     ) as held
     where owner is not null and starts_with(owner, $1 || '/') and owner <> $2`,
    [machineOf(owner), owner],
    "list owners",
  );
  const { true: dead = [], false: alive = [] } = Object.groupBy(
    rows.map((row) => String(row["owner"])),
    (name) => String(isSeenDead(name, owner)),
  );
  if (dead.length === 0) return alive;
  await database.query("delete from members where id = any($1)", [dead]);
  for (const table of ["work", "sessions"])
    await database.query(`update ${table} set lease_until = now() - interval '1 second' where owner = any($1)`, [dead]);
  return alive;
}

/** A turn that a lost worker had started may have changed anything: it is ended as interrupted, never run again. */
async function endTurns(options: ReapLostOptions): Promise<void> {
  const { database, sessions, engine, store, notifier, onError } = options;
  const taken = (await sessions.takeExpired()).map((id) => ({ id, fence: sessions.fenceOf(id) }));
  await severalAtOnce(taken, AT_ONCE, async ({ id, fence }) => {
    try {
      await engine.holdSession(id, async () => {
        await interruptRunningTurns(store, { sessionId: id, isAlive: () => false });
        await database.query("delete from running_turns where session_id = $1", [id]);
      });
      notifier.hint({ kind: "log", id });
      notifier.hint({ kind: "running", id });
    } catch (reason) {
      const error = CaretError.from(reason);
      // A turn of the session runs here, so the lease belongs to that turn.
      if (error.code === "session-busy") return;
      sessions.abandon(id, fence);
      onError(error);
    }
  });
}

/** Removes turns shown as running whose worker was killed after it released the session, before it published the end. */
async function hideEnded({ database, notifier }: ReapLostOptions): Promise<void> {
  const { rows } = await database.query(
    `delete from running_turns using sessions where ${isEndedSql} returning session_id`,
    [],
    "hide ended turns",
  );
  for (const { session_id: id } of rows) notifier.hint({ kind: "running", id: String(id) });
}

/**
 * Logs turns that a lost worker took and did not begin, or that were stopped in the queue: no log has them yet, and a client may follow
 * them.
 */
async function recordLost({ database, sealer, recordUnbegun, notifier, onError }: ReapLostOptions): Promise<void> {
  const { rows } = await database.query(
    `select id, key, input, state from turns join work using (key) where ${isUnrecordedSql}`,
    [],
    "list lost turns",
  );
  await severalAtOnce(rows, AT_ONCE, async ({ id, key, input, state }) => {
    try {
      const reason = state === "withdrawn" ? withdrawn() : workerLost();
      if (!(await recordUnbegun(String(id), sealer.open(input as Uint8Array) as NativeInput, reason))) return;
      await database.query("update turns set input = null where id = $1 and state = 'withdrawn'", [id]);
      notifier.hint({ kind: "log", id: String(key) });
    } catch (reason) {
      onError(CaretError.from(reason));
    }
  });
}

function workerLost(): CaretError {
  return new CaretError("interrupted", "The worker that had taken this turn was lost before it had begun");
}

/** Deletes what was answered or will never be read. */
async function tidy(database: Database): Promise<void> {
  await database.query(`
    delete from commands where sent_at < now() - interval '10 minutes';
    delete from live_batches where at < now() - interval '30 minutes' and not exists
      (select 1 from turns where id = share and state = 'running');
    delete from comparisons where owner not in (select id from members);
    delete from turns where ended_at < now() - interval '1 day';
    delete from members where seen_at < now() - interval '1 hour'`);
}
