import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";
import type { Host } from "../host/host.ts";
import { write } from "../terminal/print.ts";

/** Long enough for a restarting server, or one on a machine that boots at the same time. */
const WAIT_MS = 60_000;
const AGAIN_MS = 500;

/**
 * Starts something that needs the fleet's database, retrying while that is unreachable, since it may be restarting. Prints once that it
 * waits. Rejects with the last error when time is up, and at once with any other error.
 */
export async function untilReachable<Started>(
  { stderr }: Pick<Host, "stderr">,
  start: () => Promise<Started>,
  waitMs = WAIT_MS,
): Promise<Started> {
  const until = performance.now() + waitMs;
  let hasSaid = false;
  for (;;) {
    try {
      return await start();
    } catch (reason) {
      if (!isAway(reason) || performance.now() + AGAIN_MS > until) throw reason;
      if (!hasSaid) await write(stderr, `${reason.message}. Waiting up to ${Math.round(waitMs / 1_000)} s for it.\n`);
      hasSaid = true;
      await sleep(AGAIN_MS);
    }
  }
}

function isAway(reason: unknown): reason is CaretError {
  return CaretError.is(reason) && reason.code === "storage-failed" && reason.retryable;
}
