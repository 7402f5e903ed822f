import { createKeyedLock } from "../async/keyed-lock.ts";
import type { EventStore } from "../log/event-store.ts";
import { type Budgets, quotaScopes } from "./check-budget.ts";
import type { RunningTurn } from "./session-engine.ts";
import { assertQuota, isLimited, type Whose, whoseOf } from "./turn-budget.ts";

/**
 * Starts a turn unless the quota of its user or team is used up: then it rejects as `assertQuota` does. Turns are counted in the log, so
 * that of one user, or of one team, the next is asked about only when the one before is in it: two that come at once would both find
 * the last place free. Turns without a quota wait for nothing.
 */
export type QuotaGate = (whose: Whose, start: () => Promise<RunningTurn>) => Promise<RunningTurn>;

interface QuotaGateOptions {
  readonly store: EventStore;
  readonly budgets: () => Budgets;
  readonly wallClock: () => number;
}

export function createQuotaGate({ store, budgets, wallClock }: QuotaGateOptions): QuotaGate {
  const lock = createKeyedLock();
  /** Always the user's before the team's: two turns cannot wait for each other. */
  const alone = ([first, ...rest]: readonly string[], work: () => Promise<void>): Promise<void> =>
    first === undefined ? work() : lock.run(first, () => alone(rest, work));

  return async (whose, start) => {
    const limits = budgets();
    const limited = quotaScopes.filter((scope) => whose[scope] !== undefined && isLimited(limits[scope] ?? {}));
    if (limited.length === 0) return await start();
    const { promise, resolve, reject } = Promise.withResolvers<RunningTurn>();
    const admit = async (): Promise<void> => {
      try {
        await assertQuota(store, limits, { ...whoseOf(whose), nowMs: wallClock() });
        const turn = await start();
        resolve(turn);
        await turn.begun.catch(() => undefined); // its caller is given the same
      } catch (reason) {
        reject(reason);
      }
    };
    void alone(
      limited.map((scope) => `${scope} ${whose[scope]}`),
      admit,
    );
    return await promise;
  };
}
