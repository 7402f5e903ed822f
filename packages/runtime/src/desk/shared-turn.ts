import type { RunningTurn } from "../engine/session-engine.ts";
import type { TurnState } from "../lineage/find-origin.ts";
import type { ClientProcess } from "../process/find-client-process.ts";
import { createTurnAttendance, type TurnAttendanceOptions } from "./turn-attendance.ts";
import type { DeskTurn } from "./turn-desk.ts";
import { createTurnRounds } from "./turn-rounds.ts";
import { turnState } from "./turn-state.ts";

export interface SharedTurnOptions extends Pick<TurnAttendanceOptions, "graceMs" | "goneMs" | "now"> {
  readonly turn: RunningTurn;
  /** The digest of the transcript that began the turn. */
  readonly hash: string;
  /** Whose turn it is. */
  readonly tokenName: string;
  /** The client names its conversation, so that the same transcript again is the same client asking again. */
  readonly isNamed: boolean;
  /** How long after its end an answer can be had again: one that no client was given, and one that was. */
  readonly joinMs: number;
  readonly retryMs: number;
}

/** A turn and the clients that have a share in it: one for each answer that is being written. */
export interface SharedTurn {
  readonly turn: RunningTurn;
  readonly tokenName: string;
  /** When it ended; undefined while it runs. */
  readonly endedAt: number | undefined;
  /** The digest of the transcript that began it. */
  readonly firstHash: string;
  /** The digest of the transcript that it has answered last, or is answering. */
  readonly lastHash: string;
  /** Somebody is being answered. */
  readonly isAttended: boolean;
  /** A share in the answer to this transcript, by its digest; `client` is the process that asks for it. */
  take(hash: string, relation: DeskTurn["relation"], client: Promise<ClientProcess | undefined>): DeskTurn;
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
  const { turn, tokenName, isNamed, joinMs, retryMs, now } = options;
  let endedAt: number | undefined;
  let isCompleted = false;
  let isGivenUp = false;
  const rounds = createTurnRounds(turn, options.hash);

  const cancel = (reason: string): void => {
    if (endedAt !== undefined) return;
    isGivenUp = true;
    turn.cancel(reason);
  };
  /** A client that was given all of the answer knows the calls in it, and comes back with their results. */
  const waitsForClient = (): boolean => rounds.last.isDelivered && (turn.parked?.open().length ?? 0) > 0;
  const attendance = createTurnAttendance({ ...options, waitsForClient, onAbandoned: cancel });
  turn.parked?.onUnanswered(attendance.noteUnanswered);
  void turn.outcome.then(({ kind }) => {
    endedAt = now();
    isCompleted = kind === "completed";
    attendance.close();
  });

  return {
    turn,
    tokenName,
    firstHash: options.hash,
    get endedAt() {
      return endedAt;
    },
    get lastHash() {
      return rounds.last.hash;
    },
    get isAttended() {
      return attendance.isAttended;
    },
    take(hash, relation, client) {
      const round = rounds.find(hash) ?? rounds.last;
      attendance.enter();
      let hasLeft = false;
      const { turnId, sessionId, model, outcome } = turn;
      const { follow, isFirst: startsTurn } = round;
      const leave: DeskTurn["leave"] = (how) => {
        if (hasLeft) return;
        hasLeft = true;
        if (how === "answered") round.isDelivered = true;
        attendance.leave(client);
      };
      return { turnId, sessionId, model, relation, startsTurn, follow, outcome, stop: cancel, leave };
    },
    resume: (hash) => void rounds.begin(hash),
    hasCall: rounds.hasCall,
    state(hash) {
      const ended = endedAt === undefined ? undefined : { isCompleted, agoMs: now() - endedAt };
      const { isAttended } = attendance;
      return turnState({ round: rounds.find(hash), ended, isGivenUp, isAttended, isNamed, joinMs, retryMs });
    },
    abandoned: attendance.abandoned,
    dismiss(reason) {
      isGivenUp = true;
      attendance.close();
      turn.parked?.dismissAll(reason);
    },
    cancel,
  };
}
