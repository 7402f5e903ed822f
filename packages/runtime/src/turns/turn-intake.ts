import { CaretError } from "@caret/protocol";
import type { GivingWay } from "./give-way.ts";
import type { RunningTurn, TurnRequest } from "./session-engine.ts";

/** Admits turns: at most `maxTurns` at once, none after `stop`. A turn that only waits for its client gives way. */
export interface TurnIntake {
  start(request: TurnRequest): Promise<RunningTurn>;
  /** Refuses later turns as `overloaded`. */
  stop(): void;
  /** Resolves when every turn being started either runs or was refused, so none starts unnoticed. */
  settled(): Promise<void>;
}

export interface IntakeLimits {
  readonly maxTurns: number | undefined;
  readonly givingWay: GivingWay;
}

/**
 * The one limit on concurrent turns, for all doors. A turn counts from its request until its outcome is in the log; cleanup does not
 * count, because the client may start the next turn at once.
 */
export function createTurnIntake(
  begin: (request: TurnRequest) => Promise<RunningTurn>,
  { maxTurns = Number.POSITIVE_INFINITY, givingWay }: IntakeLimits,
): TurnIntake {
  const starting = new Set<Promise<unknown>>();
  let isStopped = false;
  let count = 0;
  const release = (): void => {
    count -= 1;
  };
  const beginUnlessStopped = (request: TurnRequest): Promise<RunningTurn> => {
    if (isStopped) throw shuttingDown();
    return begin(request);
  };
  return {
    async start(request) {
      if (isStopped) throw shuttingDown();
      const room = count >= maxTurns ? givingWay.makeRoom() : undefined;
      if (count >= maxTurns && room === undefined) throw tooMany(maxTurns, givingWay);
      // Reserve the place of the turn that gives way.
      count += 1;
      const turn = room === undefined ? begin(request) : room.then(() => beginUnlessStopped(request));
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

function shuttingDown(): CaretError {
  return new CaretError("overloaded", "Caret is shutting down");
}

/** Says when a waiting turn would give way; when a working one ends is unknown. */
function tooMany(maxTurns: number, { roomInMs }: GivingWay): CaretError {
  const ms = roomInMs();
  return new CaretError("overloaded", `Too many concurrent turns (limit ${maxTurns})`, {
    ...(ms === undefined ? {} : { retryAfterSeconds: Math.max(1, Math.ceil(ms / 1000)) }),
  });
}
