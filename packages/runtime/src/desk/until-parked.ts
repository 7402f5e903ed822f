import type { AgentEvent } from "@caret/protocol";
import type { StoredEvent } from "../engine/event-store.ts";
import { type NextChunk, nextChunk } from "../engine/next-chunk.ts";
import type { RunningTurn } from "../engine/session-engine.ts";
import type { ParkedCall } from "../tools/bridge/parked-calls.ts";

/** Calls that the agent makes together come a little apart; they go out in one answer. */
const WINDOW_MS = 80;
/** A call that the agent has announced is on its way, unless it was lost: a busy machine may take longer over it. */
const ANNOUNCED_MS = 1_000;

export interface UntilParkedOptions {
  readonly turn: RunningTurn;
  readonly afterSeq: number;
  readonly signal: AbortSignal;
  /** The client's own calls of this turn, in whichever answer they went out. */
  readonly clientCalls: Set<string>;
  /** Told how far the follower has come. */
  readonly onSeq: (seq: number) => void;
}

/**
 * The events of a turn until it ends, or until it waits for the client: then the last of them are the calls it waits for,
 * also those it was told of before and still has no result for. Results of the client's own calls are left out: it knows
 * them.
 */
export async function* untilParked(
  options: UntilParkedOptions,
): AsyncGenerator<readonly AgentEvent[], void, undefined> {
  const { turn, afterSeq, clientCalls, onSeq } = options;
  const left = new AbortController();
  const signal = AbortSignal.any([options.signal, left.signal]);
  const stored = turn.follow({ afterSeq, signal, live: true })[Symbol.asyncIterator]();
  const told = new Set<string>();
  let pull = stored.next();
  const nextBatch = (): Promise<NextChunk<readonly StoredEvent[]>> =>
    nextChunk(pull, { waitMs: windowOf(turn), signal });
  try {
    for (let next = await nextBatch(); next.kind === "chunk" || next.kind === "expired"; next = await nextBatch()) {
      if (next.kind === "expired") {
        const calls = waitingCalls(turn);
        // A call that is not in the log yet comes from there: told before, it would be told again after its result.
        const areLogged = calls.every(({ callId }) => clientCalls.has(callId));
        if (calls.length > 0 && areLogged) return yield* announce(calls, told);
        continue;
      }
      pull = stored.next();
      onSeq(next.chunk.at(-1)?.seq ?? afterSeq);
      yield shownEvents(next.chunk, told, clientCalls);
    }
  } finally {
    left.abort();
  }
}

function windowOf(turn: RunningTurn): number {
  if (waitingCalls(turn).length === 0) return Number.POSITIVE_INFINITY;
  return turn.parked?.announced() === 0 ? WINDOW_MS : ANNOUNCED_MS;
}

function waitingCalls({ parked }: RunningTurn): readonly ParkedCall[] {
  return parked?.open() ?? [];
}

function shownEvents(
  batch: readonly StoredEvent[],
  told: Set<string>,
  clientCalls: Set<string>,
): readonly AgentEvent[] {
  return batch.flatMap(({ event }) => {
    if (event.type === "tool-call" && event.owner === "client") {
      told.add(event.callId);
      clientCalls.add(event.callId);
    }
    return event.type === "tool-result" && clientCalls.has(event.callId) ? [] : [event];
  });
}

function* announce(calls: readonly ParkedCall[], told: ReadonlySet<string>): Generator<readonly AgentEvent[], void> {
  const untold = calls.filter(({ callId }) => !told.has(callId));
  if (untold.length > 0)
    yield untold.map((call) => ({ type: "tool-call", ...call, kind: "other", owner: "client" }) as const);
}
