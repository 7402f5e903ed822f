import { CaretError, type ErrorInfo, type TurnOutcome } from "@caret/protocol";

/** A failure may be an accident: the same request is tried once more at once, and then after pauses that grow. */
const FREE_FAILURES = 2;
const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/** Requests that failed, by the digests of their transcripts. */
export interface FailedRequests {
  note(hash: string, outcome: TurnOutcome): void;
  /**
   * Throws the last failure of a request that has failed too often to be tried again at once. Clients repeat what failed
   * by themselves, many times, and each time would cost an agent. A request that says anything more is another one.
   */
  assertTryable(hash: string): void;
}

interface Failures {
  readonly count: number;
  readonly error: ErrorInfo;
  /** No agent is started before. */
  readonly pausedUntil: number;
}

export function createFailedRequests(now: () => number): FailedRequests {
  const failures = new Map<string, Failures>();

  /** What has been left alone for long begins anew. */
  const tidy = (): void => {
    for (const [hash, { pausedUntil }] of failures) if (now() - pausedUntil > LONGEST_PAUSE_MS) failures.delete(hash);
  };

  return {
    note(hash, outcome) {
      tidy();
      if (outcome.kind === "completed") failures.delete(hash);
      if (outcome.kind !== "failed") return;
      const count = (failures.get(hash)?.count ?? 0) + 1;
      failures.set(hash, { count, error: outcome.error, pausedUntil: now() + pauseAfter(count) });
    },
    assertTryable(hash) {
      const failed = failures.get(hash);
      const leftMs = (failed?.pausedUntil ?? 0) - now();
      if (failed === undefined || leftMs <= 0) return;
      const { count, error } = failed;
      const { code, message, retryable, upstream } = error;
      throw new CaretError(code, `${message} (the same request has failed ${count} times)`, {
        retryable,
        fix: `${error.fix} An agent is started for this very request again in ${Math.ceil(leftMs / 1_000)} s.`,
        ...(upstream === undefined ? {} : { upstream }),
      });
    },
  };
}

function pauseAfter(count: number): number {
  if (count < FREE_FAILURES) return 0;
  return Math.min(FIRST_PAUSE_MS * 2 ** (count - FREE_FAILURES), LONGEST_PAUSE_MS);
}
