import type { TurnShare } from "@caret/protocol";
import { meansCall } from "../calls/means-call.ts";
import { type Position, WHOLE } from "../log/follow.ts";
import type { RunningTurn } from "../turns/session-engine.ts";
import { type RoundEnd, untilParked } from "./until-parked.ts";

/** What a turn says in answer to one request: up to its next wait for the client, or its end. */
export interface TurnRound {
  /** Digest of the transcript it answers. */
  readonly hash: string;
  /** It answers the question that started the turn. Later rounds answer results of calls that only its client knows. */
  readonly isFirst: boolean;
  /** Number of the event that it begins with or in. */
  readonly firstSeq: number;
  /** The client has not returned with results yet. */
  readonly isLast: boolean;
  /** A client got all of it. */
  isDelivered: boolean;
  /** The same answer every time, from its beginning, even if the turn has moved on. Can be called several times. */
  readonly follow: TurnShare["follow"];
}

/** The rounds of a turn, one for each request it has answered. */
export interface TurnRounds {
  readonly last: TurnRound;
  find(hash: string): TurnRound | undefined;
  /** Clients got everything the turn has said. */
  readonly areDelivered: boolean;
  /** Begins the round of another request that brings results, where the last round stopped. Call it before the results are given. */
  begin(hash: string): TurnRound;
  /** Whether the client was sent a call that this id refers to. */
  hasCall(callId: string): boolean;
}

export function createTurnRounds(turn: RunningTurn, firstHash: string): TurnRounds {
  const clientCalls = new Set<string>();
  const context = { turn, clientCalls };
  // The client knows its own question, which may be long: the answer begins after it.
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
  /** The client's own calls of this turn, in any of its answers. */
  readonly clientCalls: Set<string>;
}

interface OpenRound extends TurnRound {
  /** Ends the round where its readers are, and returns that position. */
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
