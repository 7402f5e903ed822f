import type { TurnShare } from "@caret/protocol";
import { meansCall } from "../calls/means-call.ts";
import { type Position, WHOLE } from "../log/follow.ts";
import type { RunningTurn } from "../turns/session-engine.ts";
import { type RoundEnd, untilParked } from "./until-parked.ts";

/** What a turn says in answer to one request: up to its next wait for the client, or to its end. */
export interface TurnRound {
  /** The digest of the transcript that it answers. */
  readonly hash: string;
  /** It answers the question that began the turn. Any later one answers results of calls that only its client knows. */
  readonly isFirst: boolean;
  /** The number of the event that it begins with, or in. */
  readonly firstSeq: number;
  /** The client has not come back with results yet. */
  readonly isLast: boolean;
  /** All of it was given to a client. */
  isDelivered: boolean;
  /** The same answer every time, from its beginning, also when the turn has gone on since. May be called often. */
  readonly follow: TurnShare["follow"];
}

/** The rounds of a turn, one for each request that it has answered. */
export interface TurnRounds {
  readonly last: TurnRound;
  find(hash: string): TurnRound | undefined;
  /** All that the turn has said was given to a client. */
  readonly areDelivered: boolean;
  /** Another request brings results, and is answered from where the last round stopped. Call it before they are given. */
  begin(hash: string): TurnRound;
  /** Whether the client was sent a call that this id means. */
  hasCall(callId: string): boolean;
}

export function createTurnRounds(turn: RunningTurn, firstHash: string): TurnRounds {
  const clientCalls = new Set<string>();
  const context = { turn, clientCalls };
  // The client knows its question, which may be long: the answer begins after it.
  let last = createRound(context, firstHash, { seq: turn.firstSeq, characters: WHOLE }, true);
  const rounds = new Map([[firstHash, last]]);
  return {
    get last() {
      return last;
    },
    find: (hash) => rounds.get(hash),
    get areDelivered() {
      return [...rounds.values()].every(({ isDelivered }) => isDelivered);
    },
    begin(hash) {
      const from = last.close();
      last = createRound(context, hash, from, false);
      rounds.set(hash, last);
      return last;
    },
    hasCall: (callId) => [...clientCalls].some((sent) => meansCall(callId, sent)),
  };
}

interface RoundContext {
  readonly turn: RunningTurn;
  /** The client's own calls of this turn, in whichever answer they went out. */
  readonly clientCalls: Set<string>;
}

interface OpenRound extends TurnRound {
  /** Ends it where its readers have come to, and says where that is. */
  close(): Position;
}

function createRound({ turn, clientCalls }: RoundContext, hash: string, from: Position, isFirst: boolean): OpenRound {
  const closed = new AbortController();
  let { seq: reachedSeq, characters: reachedCharacters } = from;
  let end: RoundEnd | undefined;
  const onReached = (seq: number, characters: number): void => {
    if (seq < reachedSeq || (seq === reachedSeq && characters < reachedCharacters)) return;
    reachedSeq = seq;
    reachedCharacters = characters;
  };
  const reached = (): Position => ({ seq: reachedSeq, characters: reachedCharacters });
  const context = { turn, from, clientCalls, onReached, reached, closed: closed.signal, end: () => end };
  return {
    hash,
    isFirst,
    firstSeq: from.seq,
    get isLast() {
      return end === undefined;
    },
    isDelivered: false,
    follow: (take, signal) => untilParked({ ...context, signal }, take),
    close() {
      end ??= { position: reached(), calls: turn.parked?.open() ?? [] };
      closed.abort();
      return end.position;
    },
  };
}
