import { setTimeout as sleep } from "node:timers/promises";
import type { RunningTurn, SessionEngine } from "@caret/runtime";

/** How long the answer to a call may take to reach its client, which comes back to another gateway with the result. */
const HAND_OVER_MS = 500;
const LOOK_MS = 100;

export interface FinishTurnsOptions {
  readonly engine: SessionEngine;
  /** How long to wait for turns that work. */
  readonly limitMs: number;
  /** Told once, if anything is waited for: the titles of the sessions. */
  readonly onWait: (titles: readonly string[]) => Promise<void>;
}

/**
 * Let the turns that work come to their end, then end the rest as interrupted. A turn that waits for a person or for its
 * client's tools is not waited for: nobody can reach it any more, since the gateway takes no new requests.
 */
export async function finishTurns({ engine, limitMs, onWait }: FinishTurnsOptions): Promise<void> {
  const startedAt = performance.now();
  let isTold = false;
  for (;;) {
    const elapsedMs = performance.now() - startedAt;
    const working = engine.runningTurns().filter((turn) => isWorking(turn, elapsedMs));
    if (working.length === 0 || elapsedMs >= limitMs) break;
    if (!isTold) await onWait(await titlesOf(engine, working));
    isTold = true;
    const settled = Promise.all(working.map((turn) => turn.settled));
    await Promise.race([settled, sleep(Math.min(LOOK_MS, limitMs - elapsedMs), undefined, { ref: false })]);
  }
  await engine.interruptTurns();
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
