import { CaretError } from "@caret/protocol";
import type { Database } from "../database/open-database.ts";
import { LEASE_MS } from "../members/members.ts";
import type { SessionLeases } from "../queue/session-leases.ts";
import type { RunningClaims } from "./run-claims.ts";
import type { WorkerMeter } from "./worker-meter.ts";

const RENEW_MS = 3_000;
/** Before its lease runs out by the clock of the database a worker has stopped its agents by its own. */
const MARGIN_MS = 2_000;
/** Of that, what an agent has to heed the stop before it is killed. */
export const LOST_GRACE_MS = 1_000;
/** How often to look whether that time has come: with the renewals alone it would be seen up to three seconds late. */
const WATCH_MS = 250;

export interface KeepLeasesOptions {
  readonly database: Database;
  readonly owner: string;
  readonly claims: Pick<RunningClaims, "held" | "lose">;
  readonly sessions: SessionLeases;
  /** Stop the turns of these sessions: another worker has them. */
  readonly onLost: (sessionIds: readonly string[]) => void;
  /** Stop all turns: the database could not be reached in time, and everything may soon be another worker's. */
  readonly onAllLost: () => void;
  readonly meter?: Pick<WorkerMeter, "renewed" | "lost"> | undefined;
  readonly onError: (error: CaretError) => void;
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonic: () => number;
  readonly renewMs?: number;
}

/**
 * Renews what this worker holds, and gives all of it up, once, when that could not be done in time. From then on it takes nothing before
 * a renewal has succeeded: see `LeaseStanding`. Returns `stop()`.
 */
export function keepLeases(options: KeepLeasesOptions): () => void {
  const { database, owner, claims, sessions, meter, monotonic, renewMs = RENEW_MS } = options;
  let renewedAt = monotonic();
  let isBusy = false;

  const renew = async (): Promise<void> => {
    const startedAt = monotonic();
    const held = claims.held();
    // Only what is worked on: a key that was given up here, or whose claim was never heard of, is free when its lease has run out.
    const { rows } = await database.query(
      `update work set lease_until = now() + ${LEASE_MS} * interval '1 millisecond'
       where owner = $1 and key = any($2) returning key, fence`,
      [owner, held.map(({ key }) => key)],
      "renew work",
    );
    const fences = new Map(rows.map(({ key, fence }) => [String(key), Number(fence)]));
    const gone = held.filter(({ key, fence }) => fences.get(key) !== fence);
    claims.lose(gone);
    const lost = await sessions.renew();
    if (lost.length > 0) options.onLost(lost);
    renewedAt = Math.max(renewedAt, startedAt);
    // An answer that came after a cut says nothing about now.
    if (isInTime()) sessions.standing.renewed();
    meter?.renewed();
    meter?.lost("claim", gone.length);
    meter?.lost("session", lost.length);
  };
  const isInTime = (): boolean => monotonic() - renewedAt <= LEASE_MS - MARGIN_MS;
  const giveUp = (): void => {
    const held = claims.held();
    options.onAllLost();
    claims.lose(held);
    const dropped = sessions.dropAll();
    meter?.lost("claim", held.length);
    meter?.lost("session", dropped);
  };
  const watch = (): void => {
    if (sessions.standing.isSure && !isInTime()) giveUp();
  };
  const tick = (): void => {
    watch();
    if (isBusy) return;
    isBusy = true;
    renew()
      .catch((reason: unknown) => options.onError(CaretError.from(reason)))
      .finally(() => {
        isBusy = false;
      });
  };
  const timers = [setInterval(watch, WATCH_MS), setInterval(tick, renewMs)];
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}
