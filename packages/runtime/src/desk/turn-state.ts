import type { TurnState } from "../lineage/find-origin.ts";
import type { TurnRound } from "./turn-rounds.ts";

export interface JoinQuestion {
  /** What the turn said to the transcript that was sent again; undefined when it never answered it. */
  readonly round: TurnRound | undefined;
  /** Undefined while the turn runs. */
  readonly ended: { readonly isCompleted: boolean; readonly agoMs: number } | undefined;
  /** The turn was cancelled, or its client has gone on without it. */
  readonly isGivenUp: boolean;
  /** Somebody is being answered. */
  readonly isAttended: boolean;
  /** The client names its conversation, so that the same transcript again is the same client asking again. */
  readonly isNamed: boolean;
  /** How long after its end an answer can be had again that no client was given to its end. */
  readonly joinMs: number;
  /** The same for an answer that was given: whoever asks later wants another one. */
  readonly retryMs: number;
}

/**
 * What a turn is to a client that sends a transcript once more.
 *
 * A client is known by the name of its conversation, or by ids of calls that it alone was told. Of any other it is only
 * certain that nobody else waits for the answer when nobody is being answered and nobody was given all of it: a client
 * that has all of it may be running the calls in it.
 */
export function turnState(question: JoinQuestion): TurnState {
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

/** An answer that was lost on its way is there for its client; one that arrived is only told again to an early retry. */
function isShareable(
  { isNamed, isAttended, joinMs, retryMs }: JoinQuestion,
  { isFirst, isDelivered }: TurnRound,
  agoMs: number,
): boolean {
  const isKnown = isNamed || !isFirst;
  return isDelivered ? isKnown && agoMs <= retryMs : (isKnown || !isAttended) && agoMs <= joinMs;
}
