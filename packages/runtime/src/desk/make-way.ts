import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";
import type { RunningTurn } from "../engine/session-engine.ts";
import type { SharedTurn } from "./shared-turn.ts";

/**
 * Wait until a session can take its next turn. A turn that is over only has to clean up; one that nobody listens to any
 * more is cancelled, since its client has gone on; one that somebody listens to keeps the session: `session-busy`.
 */
export async function makeWay(turn: RunningTurn, shared: SharedTurn | undefined, waitMs: number): Promise<void> {
  const hasParked = (turn.parked?.open().length ?? 0) > 0;
  // Whoever says something new instead of giving results does not want the calls any more.
  turn.parked?.dismissAll("The user said something else instead of letting this call run.");
  const timer = new AbortController();
  const patience = sleep(waitMs, "late" as const, { signal: timer.signal, ref: false });
  const freed = await Promise.race([
    turn.outcome.then(() => "over" as const),
    ...(shared === undefined ? [] : [shared.abandoned().then(() => "abandoned" as const)]),
    patience,
  ]);
  timer.abort();
  await patience.catch(() => undefined); // it was called off
  if (freed === "late" && hasParked) turn.cancel("The user went on without waiting");
  else if (freed === "late")
    throw new CaretError("session-busy", `A turn of the session ${turn.sessionId} is still running`);
  if (freed === "abandoned") shared?.cancel("The client has gone on");
  await turn.settled;
}
