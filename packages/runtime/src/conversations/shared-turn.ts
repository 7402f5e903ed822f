import type { AgentEvent, TurnShare } from "@caret/protocol";
import type { ClientProcess } from "../process/find-client-process.ts";
import type { RunningTurn } from "../turns/session-engine.ts";
import type { TurnState } from "./matching/find-origin.ts";
import { createTurnAttendance, type TurnAttendanceOptions } from "./turn-attendance.ts";
import { createTurnRounds, type TurnRound } from "./turn-rounds.ts";

interface SharedTurnOptions extends Pick<TurnAttendanceOptions, "graceMs" | "goneMs" | "now"> {
  readonly turn: RunningTurn;
  /** The digest of the transcript that began the turn. */
  readonly hash: string;
  /** Whose turn it is. */
  readonly keeper: string;
  /** The client names its conversation, so that the same transcript again is the same client asking again. */
  readonly isNamed: boolean;
  /** The agent works with tools of its own or of the gateway's: what cuts an answer leaves the work alone. */
  readonly hasHands: boolean;
  /** How long after its end an answer can be had again: one that no client was given, and one that was. */
  readonly joinMs: number;
  readonly retryMs: number;
}

/** A turn and the clients that have a share in it: one for each answer that is being written. */
export interface SharedTurn {
  readonly turn: RunningTurn;
  readonly keeper: string;
  /** When it ended; undefined while it runs. */
  readonly endedAt: number | undefined;
  /** It has ended, and nobody will be given any of it again. */
  readonly isSpent: boolean;
  /** The digest of the transcript that began it. */
  readonly firstHash: string;
  /** The digest of the transcript that it has answered last, or is answering. */
  readonly lastHash: string;
  /** The number of the event that this answer begins with, or in. */
  readonly roundSeq: number;
  /** A client is being answered. */
  readonly isAttended: boolean;
  /** Its client was given as much of the answer as it wanted, and the work goes on without it. */
  isReleased(): boolean;
  /** A share in the answer to this transcript, by its digest; `client` is the process that asks for it. */
  take(hash: string, relation: TurnShare["relation"], client: Promise<ClientProcess | undefined>): TurnShare;
  /** A request brings results that the turn waits for: what follows answers this transcript. */
  resume(hash: string): void;
  /** Until then no client is given the end of the answer: it may ask another process next, which must find the transcript. */
  endAfter(recorded: Promise<void>): void;
  /** Whether its client was sent a call that this id means. */
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
  const { turn, keeper, isNamed, hasHands, joinMs, retryMs, now } = options;
  let endedAt: number | undefined;
  let isCompleted = false;
  let isGivenUp = false;
  const recording = createRecording();
  const rounds = createTurnRounds(turn, options.hash);

  const cancel = (reason: string): void => {
    if (endedAt !== undefined) return;
    isGivenUp = true;
    turn.cancel(reason);
  };
  /** A client that was given all of the answer knows the calls in it, and comes back with their results. */
  const waitsForClient = (): boolean => rounds.last.isDelivered && (turn.parked?.open().length ?? 0) > 0;
  const attendance = createTurnAttendance({ ...options, waitsForClient, onAbandoned: cancel });
  const { turnId, sessionId, model, outcome, hasActed } = turn;
  const cut = hasHands ? attendance.release : cancel;
  const shared = { turnId, sessionId, model, outcome, hasActed, cut, stop: cancel };
  turn.parked?.onUnanswered(attendance.noteUnanswered);
  void outcome.then(({ kind }) => {
    endedAt = now();
    isCompleted = kind === "completed";
    attendance.close();
  });

  return {
    turn,
    keeper,
    firstHash: options.hash,
    get endedAt() {
      return endedAt;
    },
    get isSpent() {
      if (endedAt === undefined || attendance.isAttended) return false;
      return !isCompleted || isGivenUp || now() - endedAt > (rounds.areDelivered ? retryMs : joinMs);
    },
    get lastHash() {
      return rounds.last.hash;
    },
    get roundSeq() {
      return rounds.last.firstSeq;
    },
    get isAttended() {
      return attendance.isAttended;
    },
    isReleased: attendance.isReleased,
    take(hash, relation, client) {
      const round = rounds.find(hash) ?? rounds.last;
      attendance.enter();
      let hasLeft = false;
      const leave: TurnShare["leave"] = (how) => {
        if (hasLeft) return;
        hasLeft = true;
        if (how === "answered") round.isDelivered = true;
        attendance.leave(client);
      };
      const follow = endingAfter(recording.left, round.follow);
      return { ...shared, relation, startsTurn: round.isFirst, follow, leave };
    },
    resume: (hash) => void rounds.begin(hash),
    endAfter: recording.add,
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

/** What has to be written before a client is given the end of its answer. */
function createRecording() {
  let recording: Promise<unknown> | undefined;
  return {
    /** Undefined: all of it is written. */
    left: () => recording,
    add(written: Promise<void>): void {
      const all = Promise.all([recording, written]).finally(() => {
        if (recording === all) recording = undefined;
      });
      recording = all;
    },
  };
}

/** What is followed, but that its end is given only when nothing is `left` to wait for; undefined: nothing is. */
function endingAfter(left: () => Promise<unknown> | undefined, follow: TurnShare["follow"]): TurnShare["follow"] {
  return async (take, signal) => {
    /** A short answer may come with its end: its words need not wait. */
    const give = async (events: readonly AgentEvent[]): Promise<void> => {
      if (events.length > 1) await take(events.slice(0, -1));
      await left();
      await take(events.slice(-1));
    };
    const isEarly = (events: readonly AgentEvent[]): boolean =>
      events.at(-1)?.type === "turn-end" && left() !== undefined;
    const all = (events: readonly AgentEvent[]): Promise<void> | void =>
      isEarly(events) ? give(events) : take(events);
    // More of a text is never the end.
    await follow(Object.assign(all, { more: take.more }), signal);
    // An answer that waits for its client has no other end.
    await left();
  };
}

interface JoinQuestion {
  /** What the turn said to the transcript that was sent again; undefined when it never answered it. */
  readonly round: TurnRound | undefined;
  /** Undefined while the turn runs. */
  readonly ended: { readonly isCompleted: boolean; readonly agoMs: number } | undefined;
  /** The turn was cancelled, or its client has gone on without it. */
  readonly isGivenUp: boolean;
  /** A client is being answered. */
  readonly isAttended: boolean;
  /** The client names its conversation, so that the same transcript again is the same client asking again. */
  readonly isNamed: boolean;
  /** How long after its end an answer can be had again that no client was given to its end. */
  readonly joinMs: number;
  /** The same for an answer that was given: a client that asks later wants another one. */
  readonly retryMs: number;
}

/**
 * What a turn is to a client that sends a transcript once more.
 *
 * A client is known by the name of its conversation, or by ids of calls that only it was sent. Of any other it is only
 * certain that nobody else waits for the answer when nobody is being answered and nobody was given all of it: a client
 * that has all of it may be running the calls in it.
 */
function turnState(question: JoinQuestion): TurnState {
  const { round, ended, isGivenUp } = question;
  if (isGivenUp) return "over";
  if (round === undefined) return ended === undefined ? "running" : "over";
  if (ended === undefined) return runningState(question, round);
  return ended.isCompleted && isShareable(question, round, ended.agoMs) ? "joinable" : "over";
}

function runningState({ isNamed, isAttended }: JoinQuestion, { isFirst, isLast, isDelivered }: TurnRound): TurnState {
  const isLost = isLast && !isDelivered;
  if (!isAttended && (isNamed || isLost)) return "abandoned";
  return isNamed || !isFirst ? "joinable" : "running";
}

/** An answer that was lost on its way is there for its client; one that arrived is repeated only for an early retry. */
function isShareable(
  { isNamed, isAttended, joinMs, retryMs }: JoinQuestion,
  { isFirst, isDelivered }: TurnRound,
  agoMs: number,
): boolean {
  const isKnown = isNamed || !isFirst;
  return isDelivered ? isKnown && agoMs <= retryMs : (isKnown || !isAttended) && agoMs <= joinMs;
}
