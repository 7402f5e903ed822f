import { createOneTimer } from "./one-timer.ts";
import type { WalSync } from "./wal-sync.ts";

/**
 * Schedules the next commit. Whatever arrives during a sync is acknowledged by the next sync, however early it is committed: committing
 * earlier would only block the loop and delay those waiting for the current sync.
 */
export interface CommitTimer {
  /** Does nothing if a commit is already scheduled. With no delay: on the next turn of the loop, once no sync is under way. */
  set(delayMs: number): void;
  /** Before the next turn of the loop, after the current code has yielded; waits for a sync under way. */
  setSoon(): void;
  /** Even if a sync is under way. */
  setAnyhow(delayMs: number): void;
  clear(): void;
}

export function createCommitTimer(wal: Pick<WalSync, "isSyncing" | "settled">, flush: () => void): CommitTimer {
  const timer = createOneTimer();
  let isBehindSync = false;

  const flushBehindSync = (): void => {
    timer.clear();
    if (!wal.isSyncing) return flush();
    isBehindSync = true;
    // On another turn of the loop: the writers acknowledged now go first.
    void wal.settled().then(() => {
      isBehindSync = false;
      timer.set(flush, 0);
    });
  };

  return {
    set(delayMs) {
      if (!timer.isSet() && !isBehindSync) timer.set(flushBehindSync, delayMs);
    },
    setSoon() {
      if (!isBehindSync) timer.setSoon(flushBehindSync);
    },
    setAnyhow: (delayMs) => timer.set(flush, delayMs),
    clear: timer.clear,
  };
}
