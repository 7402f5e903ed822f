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
  /** How long after its end a turn can still be joined. */
  readonly joinMs: number;
}

/**
 * What a turn is to a client that sends a transcript once more.
 *
 * A client is known by the name of its conversation, or by ids of calls that it alone was told. Of any other it is only
 * certain that nobody else waits for the answer when nobody is being answered and nobody was given all of it: a client
 * that has all of it may be running the calls in it.
 */
export function turnState(question: JoinQuestion): TurnState {
  const { round, ended, isGivenUp, isNamed } = question;
  if (isGivenUp) return "over";
  if (round === undefined) return ended === undefined ? "running" : "over";
  const isKnown = isNamed || !round.isFirst;
  if (ended !== undefined) return canShareEnded(question, isKnown || !round.isDelivered) ? "joinable" : "over";
  const isLost = !question.isAttended && round.isLast && !round.isDelivered;
  return isKnown || isLost ? "joinable" : "running";
}

function canShareEnded({ ended, joinMs }: JoinQuestion, isOwn: boolean): boolean {
  return ended?.isCompleted === true && ended.agoMs <= joinMs && isOwn;
}
