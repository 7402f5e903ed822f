import {
  type AgentEvent,
  addUsage,
  type ErrorInfo,
  type Take,
  type TurnOutcome,
  type TurnShare,
  type Usage,
} from "@caret/protocol";

/** Filters what an answer shows of a turn, withholding an end that another turn will replace. */
export interface EndFilter {
  /** The part of the batch to show; may be empty. */
  read(batch: readonly AgentEvent[]): readonly AgentEvent[];
  /** What to show once the turn has ended. */
  readonly held: readonly AgentEvent[];
  readonly isReplaced: boolean;
}

export interface SecondTurn {
  /** Creates one filter per turn, for one reader of the answer. A second turn follows if the first one's end is replaced. */
  readonly openFilters: () => readonly EndFilter[];
  readonly start: () => Promise<TurnShare>;
  /** The error if the last turn's end would have to be replaced as well. */
  readonly failure?: () => ErrorInfo;
}

/** An answer that a second turn can continue after the first one's end. */
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
 * Follows the turns in order, up to the first whose end is kept; if there is none, the answer ends with `failure`. The answer's usage is
 * the sum of all its turns.
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
    // No one would read another turn once the client has left or the answer has reached a limit.
    if (!filter.isReplaced || signal.aborted) return;
  }
  if (failure !== undefined) await take([{ type: "turn-end", outcome: { kind: "failed", error: failure() } }]);
}

/**
 * Whether an end is withheld from the client because another turn continues the answer. `hasCall`: the client was sent a call of its tools
 * in this answer.
 */
export type Replaces = (outcome: TurnOutcome, hasCall: boolean) => boolean;

/** Shows words as they come. `isWhole`: all events are held until the end, and dropped if that is replaced. */
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
