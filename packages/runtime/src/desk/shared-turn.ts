import type { RunningTurn } from "../engine/session-engine.ts";
import type { TurnState } from "../lineage/classify-transcript.ts";
import type { DeskTurn } from "./turn-desk.ts";
import { createTurnRounds } from "./turn-rounds.ts";
import { turnState } from "./turn-state.ts";

export interface SharedTurnOptions {
  readonly turn: RunningTurn;
  /** The digest of the transcript that began the turn. */
  readonly hash: string;
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

/** A turn and the clients that have a share in it: one for each answer that is being written. */
export interface SharedTurn {
  readonly turn: RunningTurn;
  readonly tokenName: string;
  /** When it ended; undefined while it runs. */
  readonly endedAt: number | undefined;
  /** Somebody is being answered. */
  readonly isAttended: boolean;
  /** A share in the answer to this transcript, by its digest. */
  take(hash: string, relation: DeskTurn["relation"]): DeskTurn;
  /** A request brings results that the turn waits for: what follows answers this transcript. */
  resume(hash: string): void;
  /** Was its client told of a call that this id means? */
  hasCall(callId: string): boolean;
  /** What the turn is to a client that sends this transcript. */
  state(hash: string): TurnState;
  /** Resolves as soon as nobody has a share in it; at once when nobody has. */
  abandoned(): Promise<void>;
  /** The client has gone on: what waits for it is refused, and nobody may share the turn any more. */
  dismiss(reason: string): void;
  cancel(reason: string): void;
}

export function createSharedTurn(options: SharedTurnOptions): SharedTurn {
  const { turn, hash: firstHash, tokenName, isNamed, graceMs, joinMs, now } = options;
  let shares = 0;
  let endedAt: number | undefined;
  let isCompleted = false;
  let isGivenUp = false;
  const rounds = createTurnRounds(turn, firstHash);
  let timer: NodeJS.Timeout | undefined;
  let bell = Promise.withResolvers<void>();
  void turn.outcome.then(({ kind }) => {
    endedAt = now();
    isCompleted = kind === "completed";
    clearTimeout(timer);
  });

  const cancel = (reason: string): void => {
    if (endedAt !== undefined) return;
    isGivenUp = true;
    turn.cancel(reason);
  };

  /** A client that was given all of the answer knows the calls in it, and comes back with their results. */
  const waitsForClient = (): boolean => rounds.last.isDelivered && (turn.parked?.open().length ?? 0) > 0;

  const drop = (): void => {
    shares -= 1;
    if (shares > 0) return;
    bell.resolve();
    if (endedAt !== undefined || waitsForClient()) return;
    timer = setTimeout(() => cancel("The client has left"), graceMs).unref();
  };

  return {
    turn,
    tokenName,
    get endedAt() {
      return endedAt;
    },
    get isAttended() {
      return shares > 0;
    },
    take(hash, relation) {
      const round = rounds.find(hash) ?? rounds.last;
      if (shares === 0) bell = Promise.withResolvers<void>();
      shares += 1;
      clearTimeout(timer);
      let hasLeft = false;
      return {
        turnId: turn.turnId,
        sessionId: turn.sessionId,
        model: turn.model,
        relation,
        follow: round.follow,
        outcome: turn.outcome,
        stop: cancel,
        leave(how) {
          if (hasLeft) return;
          hasLeft = true;
          if (how === "answered") round.isDelivered = true;
          drop();
        },
      };
    },
    resume: (hash) => void rounds.begin(hash),
    hasCall: rounds.hasCall,
    state(hash) {
      const ended = endedAt === undefined ? undefined : { isCompleted, agoMs: now() - endedAt };
      return turnState({ round: rounds.find(hash), ended, isGivenUp, isAttended: shares > 0, isNamed, joinMs });
    },
    abandoned: () => (shares === 0 ? Promise.resolve() : bell.promise),
    dismiss(reason) {
      isGivenUp = true;
      clearTimeout(timer);
      turn.parked?.dismissAll(reason);
    },
    cancel,
  };
}
