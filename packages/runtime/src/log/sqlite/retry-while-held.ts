import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";

/** How long SQLite itself may wait, blocking the loop, while another process holds the log. */
export const BLOCK_MS = 5;
const WAITS_MS = [2, 5, 10, 20, 40] as const;
const LONGEST_WAIT_MS = 40;

/** Another process holds the log: nothing was read or written, and retrying may help. */
export function isHeldByOthers(error: CaretError): boolean {
  return error.code === "overloaded";
}

export function waitBeforeRetry(retries: number): number {
  return WAITS_MS[Math.max(0, retries - 1)] ?? LONGEST_WAIT_MS;
}

/** Tries now and, while another process holds the log, again and again without blocking this one. */
export async function retryWhileHeld<Result>(attempt: () => Result, heldMs: number): Promise<Result> {
  const giveUpAt = performance.now() + heldMs;
  for (let retries = 1; ; retries += 1) {
    try {
      return attempt();
    } catch (reason) {
      const error = CaretError.from(reason);
      if (!isHeldByOthers(error) || performance.now() >= giveUpAt) throw error;
      await sleep(waitBeforeRetry(retries));
    }
  }
}
