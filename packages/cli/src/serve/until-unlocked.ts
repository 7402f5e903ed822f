import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";

/** Enough for a gateway that starts at the same moment to be ready, or for an ending one to end. */
const ATTEMPTS = 30;
const ATTEMPT_MS = 500;

/** Retries while another gateway holds the data directory, as long as that can change by itself. */
export async function untilUnlocked<Result>(attempt: () => Promise<Result>, mayChange: () => boolean): Promise<Result> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (reason) {
      const isLocked = CaretError.is(reason) && reason.code === "storage-locked";
      if (!isLocked || !mayChange() || count === ATTEMPTS) throw reason;
      await sleep(ATTEMPT_MS);
    }
  }
}
