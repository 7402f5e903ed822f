import { setTimeout as sleep } from "node:timers/promises";
import type { RunningTurn, SessionEngine } from "@caret/runtime";

/** How long a parked call can take to reach its client, which sends the result to the next gateway. */
const HAND_OVER_MS = 500;
const LOOK_MS = 100;

export interface FinishTurnsOptions {
  readonly engine: SessionEngine;
  /** How long to wait for working turns. */
  readonly limitMs: number;
  /** Called once with the sessions' titles, if any turn is awaited. */
  readonly onWait: (titles: readonly string[]) => Promise<void>;
}

/**
 * Waits for working turns to end, then ends the rest as interrupted. Turns waiting for a person or for their client's tools are not
 * awaited: the gateway accepts no new requests, so no answer can reach them.
 */
export async function finishTurns({ engine, limitMs, onWait }: FinishTurnsOptions): Promise<void> {
  const startedAt = performance.now();
  let reported: Promise<void> | undefined;
  for (;;) {
    const elapsedMs = performance.now() - startedAt;
    const working = engine.runningTurns().filter((turn) => isWorking(turn, elapsedMs));
    if (working.length === 0 || elapsedMs >= limitMs) break;
    reported ??= report(titlesOf(engine, working), onWait);
    const settled = Promise.all(working.map((turn) => turn.settled));
    await Promise.race([settled, sleep(Math.min(LOOK_MS, limitMs - elapsedMs), undefined, { ref: false })]);
  }
  await engine.interruptTurns();
  await reported;
}

/** Reading the titles may have to wait for the log; the turns end in time even so. */
async function report(titles: Promise<readonly string[]>, onWait: FinishTurnsOptions["onWait"]): Promise<void> {
  try {
    await onWait(await titles);
  } catch {
    // A shutdown goes on even if it cannot name what it waits for.
  }
}

function isWorking({ asks, parked }: RunningTurn, elapsedMs: number): boolean {
  if (asks.open().length > 0) return false;
  return (parked?.open().length ?? 0) === 0 || elapsedMs < HAND_OVER_MS;
}

async function titlesOf({ store }: SessionEngine, turns: readonly RunningTurn[]): Promise<readonly string[]> {
  return await Promise.all(
    turns.map(async ({ sessionId }) => {
      const title = (await store.getSession(sessionId))?.title ?? "";
      return title === "" ? sessionId : title;
    }),
  );
}
