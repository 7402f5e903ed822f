import { CaretError } from "@caret/protocol";
import type { RunningTurn } from "./session-engine.ts";

/** Sessions occupied in this process: one of their turns runs, or they are being changed. */
export interface OccupiedSessions {
  /** Runs `work` while holding a free session. Rejects with `session-busy` if the session is occupied. */
  hold<Result>(sessionId: string, work: () => Promise<Result>): Promise<Result>;
  /** Marks the session as running this turn until the turn is settled. */
  run(turn: RunningTurn): void;
  turn(sessionId: string): RunningTurn | undefined;
  turns(): readonly RunningTurn[];
}

export function createOccupiedSessions(): OccupiedSessions {
  const running = new Map<string, RunningTurn>();
  /** Sessions whose next turn is being prepared, or that are being deleted. */
  const taken = new Set<string>();
  return {
    async hold(sessionId, work) {
      if (running.has(sessionId) || taken.has(sessionId))
        throw new CaretError("session-busy", `A turn of the session ${sessionId} is still running`);
      taken.add(sessionId);
      try {
        return await work();
      } finally {
        taken.delete(sessionId);
      }
    },
    run(turn) {
      running.set(turn.sessionId, turn);
      void turn.settled.then(() => running.delete(turn.sessionId));
    },
    turn: (sessionId) => running.get(sessionId),
    turns: () => [...running.values()],
  };
}
