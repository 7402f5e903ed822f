import { type EventEnvelope, foldTranscript } from "@caret/protocol";
import type { DispatchClient } from "./dispatch-client.ts";
import { type DispatchedTurn, openAsks, requestIdOf, turnIn } from "./dispatched-turn.ts";

export interface AwaitTurnOptions {
  readonly client: DispatchClient;
  /** Aborts when the host has cancelled the call or left. */
  readonly signal: AbortSignal;
  /** A turn that takes longer goes on without this call. */
  readonly waitMs: number;
  readonly onEvents: (events: readonly EventEnvelope[]) => void;
  /** Requests answered just now: the log may not have their answers yet. */
  readonly answered?: ReadonlySet<string>;
}

/** Follows a turn until it has ended, asks a person, or has used up the call's waiting time. */
export async function awaitTurn(begun: DispatchedTurn, options: AwaitTurnOptions): Promise<DispatchedTurn> {
  let turn = begun;
  if (await isOver(turn, options)) return turn;
  const stop = AbortSignal.any([options.signal, AbortSignal.timeout(options.waitMs)]);
  const events = options.client.followEvents(turn.sessionId, { after: turn.transcript.lastSeq, signal: stop });
  try {
    for await (const batch of events) {
      turn = { ...turn, transcript: foldTranscript(turn.transcript, batch) };
      options.onEvents(batch);
      if (await isOver(turn, options)) break;
    }
  } catch (reason) {
    // On abort, a follower may either end or reject.
    if (!stop.aborted) throw reason;
  }
  return turn;
}

async function isOver(turn: DispatchedTurn, { client, answered }: AwaitTurnOptions): Promise<boolean> {
  if (turnIn(turn)?.outcome !== undefined) return true;
  if (!openAsks(turn).some((ask) => answered?.has(requestIdOf(ask)) !== true)) return false;
  // An agent that answers its own questions logs them too: then nobody waits.
  return (await client.getSession(turn.sessionId)).status.kind === "waiting";
}
