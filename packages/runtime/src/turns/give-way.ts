import type { RunningTurn } from "./session-engine.ts";

/** Time a client has to run a tool before its turn may have to give way. */
const GIVE_WAY_MS = 10_000;

type ParkedTurn = Pick<RunningTurn, "cancel" | "outcome"> & {
  readonly parked: Pick<NonNullable<RunningTurn["parked"]>, "waitsSince"> | undefined;
};

export interface GiveWayOptions {
  readonly turns: () => readonly ParkedTurn[];
  readonly giveWayMs?: number | undefined;
  /** Same clock as `waitsSince`. */
  readonly now: () => number;
}

/** Makes room when all places are taken, by ending turns that only wait for their client. */
export interface GivingWay {
  /**
   * Ends the turn that has waited longest, if it has waited long enough: its session is kept and continues with a new agent when the
   * client returns with the results. Resolves once the turn has ended. Undefined: no turn has waited long enough.
   */
  makeRoom(): Promise<unknown> | undefined;
  /** Milliseconds until `makeRoom` can succeed; undefined: no turn waits. */
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
      // Its place is free even if its end does not reach the log.
      return turn.outcome.catch(() => undefined);
    },
    roomInMs() {
      const found = longest();
      return found && Math.max(0, giveWayMs - found.waitedMs);
    },
  };
}
