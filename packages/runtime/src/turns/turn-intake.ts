import { CaretError } from "@caret/protocol";
import type { RunningTurn, TurnRequest } from "./session-engine.ts";

/** Lets turns begin, until Caret stops. */
export interface TurnIntake {
  start(request: TurnRequest): Promise<RunningTurn>;
  /** Later ones are refused as `overloaded`. */
  stop(): void;
  /** Resolves when those that are about to run do, or will not: none begins behind the back of whoever waits for this. */
  settled(): Promise<void>;
}

export function createTurnIntake(begin: (request: TurnRequest) => Promise<RunningTurn>): TurnIntake {
  const starting = new Set<Promise<unknown>>();
  let isStopped = false;
  return {
    async start(request) {
      if (isStopped) throw new CaretError("overloaded", "Caret is shutting down");
      const turn = begin(request);
      starting.add(turn);
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
