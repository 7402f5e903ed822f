import type { AgentEvent, TurnShare } from "@caret/protocol";
import type { ClientProcess } from "../process/find-client-process.ts";
import type { RunningTurn } from "../turns/session-engine.ts";
import type { TurnState } from "./matching/find-origin.ts";
import { createTurnAttendance, type TurnAttendanceOptions } from "./turn-attendance.ts";
import { createTurnRounds, type TurnRound } from "./turn-rounds.ts";

interface SharedTurnOptions extends Pick<TurnAttendanceOptions, "graceMs" | "goneMs" | "now"> {
  readonly turn: RunningTurn;
  /** Digest of the transcript that started the turn. */
  readonly hash: string;
  /** The turn's keeper. */
  readonly keeper: string;
  /** The client names its conversation, so a repeated transcript comes from the same client. */
  readonly isNamed: boolean;
  /** The agent works with its own or the gateway's tools: cutting an answer does not stop the work. */
  readonly hasHands: boolean;
  /** How long after its end an answer can be requested again: one not given to any client, and one that was. */
  readonly joinMs: number;
  readonly retryMs: number;
}

/** A turn and the clients that share it: one for each answer being written. */
export interface SharedTurn {
  readonly turn: RunningTurn;
  readonly keeper: string;
  /** When it ended; undefined while it runs. */
  readonly endedAt: number | undefined;
  /** It has ended and will not be given out again. */
  readonly isSpent: boolean;
  /** Digest of the transcript that started it. */
  readonly firstHash: string;
  /** Digest of the transcript it answered last or is answering. */
  readonly lastHash: string;
  /** Number of the event that this answer begins with or in. */
  readonly roundSeq: number;
  /** Whether a client is being answered. */
  readonly isAttended: boolean;
  /** Whether its client has had as much of the answer as it wanted, while the work continues. */
  isReleased(): boolean;
  /** Takes a share in the answer to this transcript (given by its digest); `client` is the requesting process. */
  take(hash: string, relation: TurnShare["relation"], client: Promise<ClientProcess | undefined>): TurnShare;
  /** Call when a request brings results the turn waits for: what follows answers this transcript. */
  resume(hash: string): void;
  /** Withholds the answer's end until then: a client may ask another process next, which must find the transcript. */
  endAfter(recorded: Promise<void>): void;
  /** Whether its client was sent a call that this id refers to. */
  hasCall(callId: string): boolean;
  /** The turn's state for a client that sends this transcript. */
  state(hash: string): TurnState;
  /** Resolves once no client has a share in it; at once if none has. */
  abandoned(): Promise<void>;
  /** The client moved on: reject its parked calls and stop sharing the turn. */
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
  /** A client that got the whole answer knows its calls and comes back with their results. */
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

/** Tracks what must be written before a client gets the end of its answer. */
function createRecording() {
  let recording: Promise<unknown> | undefined;
  return {
    /** Undefined: everything is written. */
    left: () => recording,
    add(written: Promise<void>): void {
      const all = Promise.all([recording, written]).finally(() => {
        if (recording === all) recording = undefined;
      });
      recording = all;
    },
  };
}

/** Follows a turn but withholds its end while anything is `left` to wait for; undefined: nothing is. */
function endingAfter(left: () => Promise<unknown> | undefined, follow: TurnShare["follow"]): TurnShare["follow"] {
  return async (take, signal) => {
    /** A short answer may arrive together with its end: its words need not wait. */
    const give = async (events: readonly AgentEvent[]): Promise<void> => {
      if (events.length > 1) await take(events.slice(0, -1));
      await left();
      await take(events.slice(-1));
    };
    const isEarly = (events: readonly AgentEvent[]): boolean =>
      events.at(-1)?.type === "turn-end" && left() !== undefined;
    const all = (events: readonly AgentEvent[]): Promise<void> | void =>
      isEarly(events) ? give(events) : take(events);
    // More text is never the end.
    await follow(Object.assign(all, { more: take.more }), signal);
    // An answer that waits for its client has no other end.
    await left();
  };
}

interface JoinQuestion {
  /** The turn's answer to the repeated transcript; undefined if it never answered it. */
  readonly round: TurnRound | undefined;
  /** Undefined while the turn runs. */
  readonly ended: { readonly isCompleted: boolean; readonly agoMs: number } | undefined;
  /** The turn was cancelled, or its client moved on without it. */
  readonly isGivenUp: boolean;
  /** A client is being answered. */
  readonly isAttended: boolean;
  /** The client names its conversation, so a repeated transcript comes from the same client. */
  readonly isNamed: boolean;
  /** How long after its end an answer can be requested again if no client got all of it. */
  readonly joinMs: number;
  /** The same for an answer that was delivered: a client that asks later wants another one. */
  readonly retryMs: number;
}

/**
 * A turn's state for a client that repeats a transcript.
 *
 * A client is identified by the name of its conversation, or by ids of calls that only it was sent. For any other client, the turn is
 * known to have no other taker only if no client is being answered and none got the whole answer: a client with the whole answer may be
 * running the calls in it.
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

/** An answer lost on its way stays available for its client; one that arrived is repeated only for an early retry. */
function isShareable(
  { isNamed, isAttended, joinMs, retryMs }: JoinQuestion,
  { isFirst, isDelivered }: TurnRound,
  agoMs: number,
): boolean {
  const isKnown = isNamed || !isFirst;
  return isDelivered ? isKnown && agoMs <= retryMs : (isKnown || !isAttended) && agoMs <= joinMs;
}
