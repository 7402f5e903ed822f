import type { AgentEvent } from "@caret/protocol";
import type { RunningTurn } from "../engine/session-engine.ts";
import { untilParked } from "./until-parked.ts";

/** What a turn says in answer to one request after another: all of it, or the part up to its next wait for the client. */
export interface TurnAnswer {
  /** The answer to the newest request, from its beginning. May be called often. */
  follow(signal: AbortSignal): AsyncIterable<readonly AgentEvent[]>;
  /** Another request takes over, where the last answer stopped. */
  resume(): void;
  /** Somebody was given the newest answer to the turn's end. */
  readonly isDelivered: boolean;
}

export function createTurnAnswer(turn: RunningTurn): TurnAnswer {
  // Whoever asked knows the question, which may be long: the answer begins after it.
  let from = turn.firstSeq;
  let reached = from;
  let isDelivered = false;
  const clientCalls = new Set<string>();

  async function* follow(signal: AbortSignal): AsyncGenerator<readonly AgentEvent[], void, undefined> {
    const onSeq = (seq: number): void => {
      reached = Math.max(reached, seq);
    };
    for await (const events of untilParked({ turn, afterSeq: from, signal, clientCalls, onSeq })) {
      isDelivered ||= events.at(-1)?.type === "turn-end";
      yield events;
    }
  }

  return {
    follow,
    resume() {
      from = reached;
      isDelivered = false;
    },
    get isDelivered() {
      return isDelivered;
    },
  };
}
