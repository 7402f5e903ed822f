import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";

/** A gateway that starts at the same moment is ready by then, and one that ends has ended. */
const ATTEMPTS = 30;
const ATTEMPT_MS = 500;

/** Repeats what fails because another gateway has the data directory, as long as that may change by itself. */
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
