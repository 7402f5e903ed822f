import { CaretError } from "@caret/protocol";
import type { RunningTurn, TurnRequest } from "./session-engine.ts";

/** Admits turns: at most `maxTurns` at once, and none once Caret stops. */
export interface TurnIntake {
  start(request: TurnRequest): Promise<RunningTurn>;
  /** Later ones are refused as `overloaded`. */
  stop(): void;
  /** Resolves when every turn that is being started runs or was refused: none starts behind the caller's back. */
  settled(): Promise<void>;
}

/**
 * The one limit on concurrent turns, for all doors. A turn counts from its request until its outcome is in the log: one that
 * only cleans up does not, since its client may ask again at once.
 */
export function createTurnIntake(
  begin: (request: TurnRequest) => Promise<RunningTurn>,
  maxTurns = Number.POSITIVE_INFINITY,
): TurnIntake {
  const starting = new Set<Promise<unknown>>();
  let isStopped = false;
  let count = 0;
  const release = (): void => {
    count -= 1;
  };
  return {
    async start(request) {
      if (isStopped) throw new CaretError("overloaded", "Caret is shutting down");
      if (count >= maxTurns) throw new CaretError("overloaded", `Too many concurrent turns (limit ${maxTurns})`);
      count += 1;
      const turn = begin(request);
      starting.add(turn);
      turn.then(({ outcome }) => outcome.then(release), release);
      try {
        return await turn;
      } finally {
        starting.delete(turn);
      }
    },
    stop() {
      isStopped = true;
    },
    async settled() {
      await Promise.allSettled(starting);
    },
  };
}
