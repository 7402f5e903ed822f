import type { RunningTurn } from "./session-engine.ts";

/** A client that runs a tool is given so long before its turn may have to give way. */
const GIVE_WAY_MS = 10_000;

type ParkedTurn = Pick<RunningTurn, "cancel" | "outcome"> & {
  readonly parked: Pick<NonNullable<RunningTurn["parked"]>, "waitsSince"> | undefined;
};

export interface GiveWayOptions {
  readonly turns: () => readonly ParkedTurn[];
  readonly giveWayMs?: number | undefined;
  /** The clock of `waitsSince`. */
  readonly now: () => number;
}

/** Where the places are taken: turns that do nothing but wait for their client make room. */
export interface GivingWay {
  /**
   * Ends the turn that has waited longest, if that is long enough: its session is kept, and goes on with a new agent when the client comes
   * back with the results. Resolves when it has ended. Undefined: none has waited so long.
   */
  makeRoom(): Promise<unknown> | undefined;
  /** After so many milliseconds one will have; undefined: none waits. */
  roomInMs(): number | undefined;
}

export function createGivingWay({ turns, giveWayMs = GIVE_WAY_MS, now }: GiveWayOptions): GivingWay {
  const leaving = new WeakSet<object>();

  const longest = (): { readonly turn: ParkedTurn; readonly waitedMs: number } | undefined => {
    const parked = turns().flatMap((turn) => {
      const since = leaving.has(turn) ? undefined : turn.parked?.waitsSince();
      return since === undefined ? [] : [{ turn, waitedMs: now() - since }];
    });
    return parked.toSorted((a, b) => b.waitedMs - a.waitedMs)[0];
  };

  return {
    makeRoom() {
      const { turn, waitedMs } = longest() ?? {};
      if (turn === undefined || waitedMs === undefined || waitedMs < giveWayMs) return undefined;
      leaving.add(turn);
      turn.cancel("It waited for its client, and gave way to a new turn: too many were running");
      // Its place is free even when its end does not reach the log.
      return turn.outcome.catch(() => undefined);
    },
    roomInMs() {
      const found = longest();
      return found && Math.max(0, giveWayMs - found.waitedMs);
    },
  };
}
