import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";
import type { RunningTurn } from "../turns/session-engine.ts";
import type { SharedTurn } from "./shared-turn.ts";

/** An agent asked to end its turn does so in few words, or takes too long for a waiting user. */
const DISMISSED_MS = 2_000;
const DISMISSED =
  "The user interrupted this call and said something else. End your turn now, without another call: what the user said comes next.";

/**
 * Waits until a session can take its next turn. A turn that is over only has to clean up; one that works on after its answer was cut is
 * waited for, however long it takes; one without listeners is ended, because its client has moved on; one that a client still reads keeps
 * the session: `session-busy`.
 */
export async function waitUntilFree(turn: RunningTurn, shared: SharedTurn | undefined, waitMs: number): Promise<void> {
  if (shared?.isReleased() === true) return await turn.settled;
  const freed = await firstWithin(waitMs, [turn.outcome, ...(shared === undefined ? [] : [shared.abandoned()])]);
  if (freed === "late")
    throw new CaretError("session-busy", `A turn of the session ${turn.sessionId} is still running`);
  if (shared !== undefined && shared.endedAt === undefined) {
    // Its client may have come back at this very moment.
    if (shared.isAttended) return;
    await end(turn, shared, waitMs);
  }
  await turn.settled;
}

/** An agent that waits for a result gets time to end by itself: its upstream chat then has a proper end to continue from. */
async function end(turn: RunningTurn, shared: SharedTurn, waitMs: number): Promise<void> {
  const isParked = (turn.parked?.open().length ?? 0) > 0;
  shared.dismiss(DISMISSED);
  if (isParked) await firstWithin(Math.min(waitMs, DISMISSED_MS), [turn.outcome]);
  shared.cancel("The client has gone on");
}

async function firstWithin(waitMs: number, events: readonly Promise<unknown>[]): Promise<"in-time" | "late"> {
  const timer = new AbortController();
  const patience = sleep(waitMs, "late" as const, { signal: timer.signal, ref: false });
  const first = await Promise.race([...events.map((event) => event.then(() => "in-time" as const)), patience]);
  timer.abort();
  await patience.catch(() => undefined); // it was called off
  return first;
}
