import { createOneTimer } from "./one-timer.ts";
import type { WalSync } from "./wal-sync.ts";

/**
 * Decides when the next commit is made. What comes during a sync is acknowledged by the one after it, whenever it is committed: to
 * commit it earlier would only hold up the loop, and with it those who wait for the first.
 */
export interface CommitTimer {
  /** Unless a commit is due already. Without a wait: as soon as the loop comes round and no sync is under way. */
  set(delayMs: number): void;
  /** Before the loop comes round, when what runs now has given way; a sync that is under way is waited for. */
  setSoon(): void;
  /** Whether or not a sync is under way. */
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
    // In another round of the loop: those who are acknowledged now come first.
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
