/** Commits allowed in immediate succession after a quiet time. */
const BURST = 4;
/** Events in a full commit; a smaller one counts as a fraction. A few turns alone never wait, only many of them or a flood. */
const FULL_COMMIT = 16;

export interface CommitCredit {
  /** Records a commit of this many events. */
  spend(events: number): void;
  /** Delay before the next commit; none if 0 or less. */
  delayMs(): number;
}

/** A credit of immediate commits. Each full one uses one, and one is restored every `maxDelayMs`. */
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
