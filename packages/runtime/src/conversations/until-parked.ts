import type { AgentEvent } from "@caret/protocol";
import { ChunkWaiter } from "../async/chunk-waiter.ts";
import type { StoredEvent } from "../log/event-store.ts";
import type { RunningTurn } from "../turns/session-engine.ts";
import type { LoggedCall } from "../turns/tools/tool-call.ts";

/** Where an answer ended that the client has gone on from: its last event, and the calls that it waited for. */
export interface RoundEnd {
  readonly seq: number;
  readonly calls: readonly LoggedCall[];
}

export interface UntilParkedOptions {
  readonly turn: RunningTurn;
  readonly afterSeq: number;
  readonly signal: AbortSignal;
  /** The client's own calls of this turn, in whichever answer they went out. */
  readonly clientCalls: Set<string>;
  /** Called with how far the follower has come. */
  readonly onSeq: (seq: number) => void;
  /** Aborted when the client has come back with results: from then on `end` says where this answer ended. */
  readonly closed: AbortSignal;
  readonly end: () => RoundEnd | undefined;
}

/**
 * The events of a turn until it ends, or until it waits for the client: then the last of them are the calls it waits for,
 * also those it was sent before and still has no result for. Results of the client's own calls are left out: it knows
 * them. An answer that the client has gone on from ends where it ended then, for every later reader.
 */
export async function* untilParked(
  options: UntilParkedOptions,
): AsyncGenerator<readonly AgentEvent[], void, undefined> {
  const left = new AbortController();
  const answer = openAnswer(options, AbortSignal.any([options.signal, left.signal]));
  try {
    for (let next = await answer.step(); next !== undefined; next = await answer.step()) {
      if (next.events.length > 0) yield next.events;
      if (next.isLast) return;
    }
  } finally {
    // A reason of its own: the default one is an exception with a stack.
    left.abort("left");
    answer.close();
  }
}

interface Step {
  readonly events: readonly AgentEvent[];
  readonly isLast: boolean;
}

const LOOK_AGAIN: Step = { events: [], isLast: false };

interface Answer {
  /** One step of the answer after the other; undefined where the turn's log or the reader ends. */
  step(): Promise<Step | undefined>;
  close(): void;
}

function openAnswer(
  { turn, afterSeq, clientCalls, onSeq, closed, end }: UntilParkedOptions,
  signal: AbortSignal,
): Answer {
  const stored = turn.follow({ afterSeq, signal, live: true })[Symbol.asyncIterator]();
  let waiter = new ChunkWaiter(AbortSignal.any([signal, closed]));
  const told = new Set<string>();
  const hidden = new Set<string>();
  const isClientRun = turn.parked !== undefined;
  let seq = afterSeq;
  let pull = stored.next();

  const read = (chunk: readonly StoredEvent[]): Step => {
    pull = stored.next();
    const lastSeq = end()?.seq ?? Number.POSITIVE_INFINITY;
    const batch = chunk.filter((event) => event.seq <= lastSeq);
    seq = chunk.at(-1)?.seq ?? seq;
    onSeq(batch.at(-1)?.seq ?? afterSeq);
    return { events: shownEvents(batch, { told, clientCalls, hidden, isClientRun }), isLast: false };
  };

  const park = (): Step => {
    const calls = waitingCalls(turn);
    // A call that is not in the log yet comes from there: sent before, it would be sent again after its result.
    const areLogged = calls.every(({ callId }) => clientCalls.has(callId));
    return calls.length > 0 && areLogged ? { events: untoldCalls(calls, told), isLast: true } : LOOK_AGAIN;
  };

  const pullOn = async (isClosed: boolean): Promise<Step | undefined> => {
    const next = await waiter.next(pull, isClosed ? Number.POSITIVE_INFINITY : windowOf(turn));
    if (next.kind === "chunk") return read(next.chunk);
    if (next.kind === "expired") return park();
    if (next.kind === "end" || signal.aborted) return undefined;
    // The client has gone on: look where this answer ends. From here on only the reader's own signal counts.
    waiter.close();
    waiter = new ChunkWaiter(signal);
    return LOOK_AGAIN;
  };

  return {
    async step() {
      const ended = end();
      if (ended !== undefined && seq >= ended.seq) return { events: untoldCalls(ended.calls, told), isLast: true };
      return await pullOn(ended !== undefined);
    },
    close: () => waiter.close(),
  };
}

function windowOf({ parked }: RunningTurn): number {
  return parked?.windowMs() ?? Number.POSITIVE_INFINITY;
}

function waitingCalls({ parked }: RunningTurn): readonly LoggedCall[] {
  return parked?.open() ?? [];
}

interface ShownContext {
  readonly told: Set<string>;
  readonly clientCalls: Set<string>;
  /** The agent's own calls of a turn whose tools the client runs. */
  readonly hidden: Set<string>;
  readonly isClientRun: boolean;
}

/**
 * Where the client runs the tools, the agent's own are switched off. An agent that tries one is refused and does it in the
 * other way: that is in the log, and nothing that a user of the client could make sense of.
 */
function shownEvents(batch: readonly StoredEvent[], context: ShownContext): readonly AgentEvent[] {
  return batch.map(({ event }) => event).filter((event) => isShown(event, context));
}

function isShown(event: AgentEvent, { told, clientCalls, hidden, isClientRun }: ShownContext): boolean {
  if (event.type === "tool-result") return !clientCalls.has(event.callId) && !hidden.has(event.callId);
  if (event.type !== "tool-call") return true;
  if (event.owner === "client") {
    told.add(event.callId);
    clientCalls.add(event.callId);
    return true;
  }
  if (isClientRun) hidden.add(event.callId);
  return !isClientRun;
}

function untoldCalls(calls: readonly LoggedCall[], told: ReadonlySet<string>): readonly AgentEvent[] {
  return calls
    .filter(({ callId }) => !told.has(callId))
    .map((call) => ({ type: "tool-call", ...call, kind: "other", owner: "client" }) as const);
}
