import type { AgentEvent, ErrorInfo, Take, TurnOutcome, TurnShare } from "@caret/protocol";

/** What an answer has shown its client so far. */
export interface Shown {
  /** A call of the client's tools. */
  readonly call: boolean;
  /** Anything at all: words, a thought, a call. */
  readonly anything: boolean;
}

export interface SecondTurn {
  /** Whether an end is kept from the client, and another turn goes on in the same answer. */
  readonly replaces: (outcome: TurnOutcome, shown: Shown) => boolean;
  readonly start: () => Promise<TurnShare>;
  /** The client sees nothing before the end: what came before an end that is replaced is dropped with it. */
  readonly isWhole?: boolean;
  /** How the answer ends when the second turn's end is one to replace, too. Absent: with that end. */
  readonly failure?: ErrorInfo;
}

const SHOWN_TYPES: ReadonlySet<AgentEvent["type"]> = new Set(["text-delta", "thinking-delta", "tool-call", "plan"]);

/** An answer in which a second turn may go on where the first one ended. */
export function answerAgain(first: TurnShare, { replaces, start, failure, isWhole = false }: SecondTurn): TurnShare {
  let current = first;

  const openNext = async (): Promise<TurnShare> => {
    current.leave("answered");
    current = await start();
    return current;
  };

  const follow: TurnShare["follow"] = (take, signal) => {
    const isUnmet = failure === undefined ? () => false : replaces;
    const turns = [
      { open: () => current, filter: createEndFilter(replaces, isWhole) },
      { open: openNext, filter: createEndFilter(isUnmet, false) },
    ];
    return followUntilKept(turns, failure, take, signal);
  };

  return {
    turnId: first.turnId,
    sessionId: first.sessionId,
    model: first.model,
    relation: first.relation,
    startsTurn: first.startsTurn,
    follow,
    get outcome() {
      return current.outcome;
    },
    hasActed: () => first.hasActed() || current.hasActed(),
    stop: (reason) => current.stop(reason),
    leave: (how) => current.leave(how),
  };
}

interface FilteredTurn {
  readonly open: () => TurnShare | Promise<TurnShare>;
  readonly filter: EndFilter;
}

/** Each turn in its order, up to the first whose end is not replaced. If there is none, the answer ends with `failure`. */
async function followUntilKept(
  turns: readonly FilteredTurn[],
  failure: ErrorInfo | undefined,
  take: Take<readonly AgentEvent[]>,
  signal: AbortSignal,
): Promise<void> {
  for (const { open, filter } of turns) {
    const turn = await open();
    await turn.follow((batch) => take(filter.read(batch)), signal);
    if (filter.held.length > 0) await take(filter.held);
    // Nobody would read another turn once the client has left, or the answer has reached a limit.
    if (!filter.isReplaced || signal.aborted) return;
  }
  if (failure !== undefined) await take([{ type: "turn-end", outcome: { kind: "failed", error: failure } }]);
}

/** Passes batches on, but not an end that is to be replaced. */
interface EndFilter {
  /** What to show of the batch, possibly nothing. */
  read(batch: readonly AgentEvent[]): readonly AgentEvent[];
  /** What is to be shown when the turn has ended. */
  readonly held: readonly AgentEvent[];
  readonly isReplaced: boolean;
}

/** `isWhole`: all events are held back until the end, and dropped with an end that is replaced. */
function createEndFilter(replaces: SecondTurn["replaces"], isWhole: boolean): EndFilter {
  let held: AgentEvent[] = [];
  let shown: Shown = { call: false, anything: false };
  let isReplaced = false;
  return {
    read(batch) {
      if (!isWhole) shown = withShown(shown, batch);
      const last = batch.at(-1);
      isReplaced = last?.type === "turn-end" && replaces(last.outcome, shown);
      const passed = isReplaced ? batch.slice(0, -1) : batch;
      if (!isWhole) return passed;
      held = isReplaced ? [] : held.concat(passed);
      return [];
    },
    get held() {
      return held;
    },
    get isReplaced() {
      return isReplaced;
    },
  };
}

function withShown(shown: Shown, batch: readonly AgentEvent[]): Shown {
  return {
    call: shown.call || batch.some((event) => event.type === "tool-call" && event.owner === "client"),
    anything: shown.anything || batch.some(({ type }) => SHOWN_TYPES.has(type)),
  };
}
