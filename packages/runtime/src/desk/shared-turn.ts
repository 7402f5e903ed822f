import type { RunningTurn } from "../engine/session-engine.ts";
import type { TurnState } from "../lineage/classify-transcript.ts";
import { createTurnAnswer } from "./turn-answer.ts";
import type { DeskTurn } from "./turn-desk.ts";

export interface SharedTurnOptions {
  readonly turn: RunningTurn;
  /** Whose turn it is. */
  readonly tokenName: string;
  /** The client names its conversation, so that the same transcript again is the same client asking again. */
  readonly isNamed: boolean;
  /** How long a turn goes on when nobody listens any more; a client that lost its connection may come back meanwhile. */
  readonly graceMs: number;
  /** How long after its end a turn can still be joined. */
  readonly joinMs: number;
  readonly now: () => number;
}

/** A turn and the clients that have a share in it. */
export interface SharedTurn {
  readonly turn: RunningTurn;
  readonly tokenName: string;
  /** When it ended; undefined while it runs. */
  readonly endedAt: number | undefined;
  take(relation: DeskTurn["relation"]): DeskTurn;
  /** The client has answered calls that the turn waited for: what follows is the answer to another request. */
  resume(): void;
  state(): TurnState;
  /** Resolves as soon as nobody has a share in it; at once when nobody has. */
  abandoned(): Promise<void>;
  cancel(reason: string): void;
}

export function createSharedTurn({ turn, tokenName, isNamed, graceMs, joinMs, now }: SharedTurnOptions): SharedTurn {
  let shares = 0;
  let endedAt: number | undefined;
  let isCompleted = false;
  let isCancelled = false;
  const answer = createTurnAnswer(turn);
  let timer: NodeJS.Timeout | undefined;
  let bell = Promise.withResolvers<void>();
  void turn.outcome.then(({ kind }) => {
    endedAt = now();
    isCompleted = kind === "completed";
    clearTimeout(timer);
  });

  const cancel = (reason: string): void => {
    if (endedAt !== undefined) return;
    isCancelled = true;
    turn.cancel(reason);
  };

  const drop = (): void => {
    shares -= 1;
    if (shares > 0) return;
    bell.resolve();
    // A turn that waits for its client's results is not abandoned: the client comes back with them in a new request.
    if ((turn.parked?.open().length ?? 0) > 0) return;
    if (endedAt === undefined) timer = setTimeout(() => cancel("The client has left"), graceMs).unref();
  };

  return {
    turn,
    tokenName,
    get endedAt() {
      return endedAt;
    },
    take(relation) {
      shares += 1;
      clearTimeout(timer);
      bell = Promise.withResolvers<void>();
      let hasLeft = false;
      return {
        turnId: turn.turnId,
        sessionId: turn.sessionId,
        model: turn.model,
        relation,
        follow: answer.follow,
        outcome: turn.outcome,
        stop: cancel,
        leave() {
          if (hasLeft) return;
          hasLeft = true;
          drop();
        },
      };
    },
    resume: answer.resume,
    state() {
      if (endedAt !== undefined)
        return isCompleted && now() - endedAt <= joinMs && (isNamed || !answer.isDelivered) ? "joinable" : "over";
      if (isCancelled) return "over";
      // Without a name two clients may well ask the same at the same time, each for itself.
      return isNamed || shares === 0 ? "joinable" : "running";
    },
    abandoned: () => (shares === 0 ? Promise.resolve() : bell.promise),
    cancel,
  };
}
