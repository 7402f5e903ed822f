import { CaretError } from "@caret/protocol";
import type { Database } from "../database/open-database.ts";
import { LEASE_MS } from "../members/members.ts";
import type { SessionLeases } from "../queue/session-leases.ts";
import type { RunningClaims } from "./run-claims.ts";
import type { WorkerMeter } from "./worker-meter.ts";

const RENEW_MS = 3_000;
/** A worker stops its agents this long, by its own clock, before its lease expires by the database's. */
const MARGIN_MS = 2_000;
/** Part of that margin: how long an agent has to heed the stop before it is killed. */
export const LOST_GRACE_MS = 1_000;
/** How often to check for that deadline. The renewals alone would notice it up to three seconds late. */
const WATCH_MS = 250;

export interface KeepLeasesOptions {
  readonly database: Database;
  readonly owner: string;
  readonly claims: Pick<RunningClaims, "held" | "lose">;
  readonly sessions: SessionLeases;
  /** Stops the turns of these sessions: another worker has them. */
  readonly onLost: (sessionIds: readonly string[]) => void;
  /** Stops all turns: the database was unreachable too long, and other workers may soon take everything. */
  readonly onAllLost: () => void;
  readonly meter?: Pick<WorkerMeter, "renewed" | "lost"> | undefined;
  readonly onError: (error: CaretError) => void;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
  readonly renewMs?: number;
}

/**
 * Renews what this worker holds, and gives all of it up, once, if that fails for too long. After that it takes nothing until a renewal
 * succeeds: see `LeaseStanding`. Returns `stop()`.
 */
export function keepLeases(options: KeepLeasesOptions): () => void {
  const { database, owner, claims, sessions, meter, monotonic, renewMs = RENEW_MS } = options;
  let renewedAt = monotonic();
  let isBusy = false;

  const renew = async (): Promise<void> => {
    const startedAt = monotonic();
    const held = claims.held();
    // Only keys in use: a key given up here, or whose claim was never heard of, becomes free when its lease expires.
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
    // An answer that arrives after a cut proves nothing about now.
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
