/** How many commits may follow each other at once after a quiet time. */
const BURST = 4;
/** A commit of less counts as a part of one, so that a few turns alone never wait: only many of them, or a flood, do. */
const FULL_COMMIT = 16;

export interface CommitCredit {
  /** A commit of so many events is made. */
  spend(events: number): void;
  /** How long to wait before the next commit; none is needed when this is 0 or less. */
  delayMs(): number;
}

/** Commits that may be made at once. Each full one takes one, and time gives one back every `maxDelayMs`. */
export function createCommitCredit(maxDelayMs: number, monotonicMs: () => number): CommitCredit {
  let credit = BURST;
  let countedAt = monotonicMs();
  const count = (): number => {
    const now = monotonicMs();
    credit = Math.min(BURST, credit + (now - countedAt) / maxDelayMs);
    countedAt = now;
    return credit;
  };
  return {
    spend: (events) => {
      credit = Math.max(0, count() - Math.min(1, events / FULL_COMMIT));
    },
    delayMs: () => (1 - count()) * maxDelayMs,
  };
}
