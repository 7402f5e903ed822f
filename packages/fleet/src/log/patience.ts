import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";
import { isConnectionLoss, isHeld, isUnknownCommit, toDatabaseError } from "../database/database-error.ts";

/** As long as the embedded log waits for another process. */
const WAIT_MS = 10_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** Retries while the server is away or another transaction holds a row. */
export interface Patience {
  /**
   * Retries work that failed for these reasons. Rejects with our error. Work that may have been committed is repeated only if `onUnknown`,
   * which looks up the outcome, says that it was not.
   */
  retry<Outcome>(work: () => Promise<Outcome>, options?: RetryOptions<Outcome>): Promise<Outcome>;
  /** Caps every wait from here on, including those in progress. */
  limit(ms: number): void;
}

export interface RetryOptions<Outcome> {
  /** Waits as long as it takes. */
  readonly keepTrying?: boolean;
  /** Resolves with the outcome if the work was done after all. */
  readonly onUnknown?: () => Promise<Outcome | undefined>;
}

export function createPatience(monotonicMs: () => number = () => performance.now()): Patience {
  let latest = Number.POSITIVE_INFINITY;
  let longestMs = Number.POSITIVE_INFINITY;
  /** Throws unless the work may be retried. */
  const assertWorthRetry = (reason: unknown, canAsk: boolean, until: number): void => {
    if (!isWorthRetry(reason, canAsk)) throw toDatabaseError(reason);
    if (monotonicMs() > Math.min(until, latest)) throw gaveUp(reason);
  };
  return {
    async retry(work, { keepTrying = false, onUnknown } = {}) {
      const giveUpAt = monotonicMs() + Math.min(keepTrying ? Number.POSITIVE_INFINITY : WAIT_MS, longestMs);
      const askFirst = async () => (await onUnknown?.()) ?? (await work());
      let attempt = work;
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
        const { outcome, reason } = await outcomeOf(attempt);
        if (reason === undefined) return outcome as Awaited<ReturnType<typeof work>>;
        assertWorthRetry(reason, onUnknown !== undefined, giveUpAt - pauseMs);
        if (isConnectionLoss(reason)) attempt = askFirst;
        await sleep(pauseMs);
      }
    },
    limit(ms) {
      longestMs = Math.min(longestMs, ms);
      latest = monotonicMs() + longestMs;
    },
  };
}

async function outcomeOf<Outcome>(
  work: () => Promise<Outcome>,
): Promise<{ readonly outcome?: Outcome; readonly reason?: unknown }> {
  try {
    return { outcome: await work() };
  } catch (reason) {
    return { reason };
  }
}

function isWorthRetry(reason: unknown, canAsk: boolean): boolean {
  if (isUnknownCommit(reason)) return canAsk;
  return isHeld(reason) || isConnectionLoss(reason);
}

function gaveUp(reason: unknown): CaretError {
  if (isHeld(reason))
    return new CaretError("overloaded", "Another process held a row of the database for too long", { cause: reason });
  return toDatabaseError(reason);
}
