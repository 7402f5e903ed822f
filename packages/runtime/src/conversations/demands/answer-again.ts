import {
  type AgentEvent,
  addUsage,
  type ErrorInfo,
  type Take,
  type TurnOutcome,
  type TurnShare,
  type Usage,
} from "@caret/protocol";

/** Passes what an answer shows of a turn, but not an end that another turn is to replace. */
export interface EndFilter {
  /** What to show of the batch, possibly nothing. */
  read(batch: readonly AgentEvent[]): readonly AgentEvent[];
  /** What is to be shown when the turn has ended. */
  readonly held: readonly AgentEvent[];
  readonly isReplaced: boolean;
}

export interface SecondTurn {
  /** A filter for each turn, for one reader of the answer. An answer has a second turn when the first one's end is replaced. */
  readonly openFilters: () => readonly EndFilter[];
  readonly start: () => Promise<TurnShare>;
  /** How the answer ends when the last turn's end is one to replace, too. */
  readonly failure?: () => ErrorInfo;
}

/** An answer in which a second turn may go on where the first one ended. */
export function answerAgain(first: TurnShare, { openFilters, start, failure }: SecondTurn): TurnShare {
  let current = first;

  const openNext = async (): Promise<TurnShare> => {
    current.leave("answered");
    current = await start();
    return current;
  };

  const follow: TurnShare["follow"] = (take, signal) => {
    const opens = [() => current, openNext];
    const turns = openFilters().map((filter, index) => ({ open: opens[index] ?? openNext, filter }));
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
    cut: (reason) => current.cut(reason),
    stop: (reason) => current.stop(reason),
    leave: (how) => current.leave(how),
  };
}

interface FilteredTurn {
  readonly open: () => TurnShare | Promise<TurnShare>;
  readonly filter: EndFilter;
}

/**
 * Each turn in its order, up to the first whose end is not replaced. If there is none, the answer ends with `failure`. What all of
 * them used is the answer's usage.
 */
async function followUntilKept(
  turns: readonly FilteredTurn[],
  failure: SecondTurn["failure"],
  take: Take<readonly AgentEvent[]>,
  signal: AbortSignal,
): Promise<void> {
  let spent: Usage | undefined;
  for (const { open, filter } of turns) {
    const before = spent;
    const withUsage = (event: AgentEvent): AgentEvent => {
      if (event.type !== "usage") return event;
      spent = addUsage(before, event.usage) ?? event.usage;
      return { ...event, usage: spent };
    };
    const turn = await open();
    await turn.follow((batch) => take(filter.read(batch).map(withUsage)), signal);
    if (filter.held.length > 0) await take(filter.held);
    // Nobody would read another turn once the client has left, or the answer has reached a limit.
    if (!filter.isReplaced || signal.aborted) return;
  }
  if (failure !== undefined) await take([{ type: "turn-end", outcome: { kind: "failed", error: failure() } }]);
}

/**
 * Whether an end is kept from the client, and another turn goes on in the same answer. `hasCall`: the client was given a call of its
 * tools in this answer.
 */
export type Replaces = (outcome: TurnOutcome, hasCall: boolean) => boolean;

/** Shows words as they come. `isWhole`: all events are held back until the end, and dropped with an end that is replaced. */
export function createEndFilter(replaces: Replaces, isWhole = false): EndFilter {
  let held: AgentEvent[] = [];
  let hasCall = false;
  let isReplaced = false;
  return {
    read(batch) {
      hasCall ||= batch.some((event) => event.type === "tool-call" && event.owner === "client");
      const last = batch.at(-1);
      isReplaced = last?.type === "turn-end" && replaces(last.outcome, hasCall);
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
