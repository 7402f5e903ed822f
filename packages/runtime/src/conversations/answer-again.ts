import type { AgentEvent, ErrorInfo, TurnOutcome, TurnShare } from "@caret/protocol";

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
  const read = isWhole ? unlessReplaced : withoutEnd;

  async function* follow(signal: AbortSignal): AsyncGenerator<readonly AgentEvent[], void, undefined> {
    if (!(yield* read(current.follow(signal), replaces))) return;
    current.leave("answered");
    current = await start();
    const isReplaced = failure === undefined ? () => false : replaces;
    if ((yield* withoutEnd(current.follow(signal), isReplaced)) && failure !== undefined)
      yield [{ type: "turn-end", outcome: { kind: "failed", error: failure } }];
  }

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
    stop: (reason) => current.stop(reason),
    leave: (how) => current.leave(how),
  };
}

/** Passes events on, but not an end that is to be replaced. True when there was one. */
async function* withoutEnd(
  batches: AsyncIterable<readonly AgentEvent[]>,
  replaces: SecondTurn["replaces"],
): AsyncGenerator<readonly AgentEvent[], boolean, undefined> {
  let shown: Shown = { call: false, anything: false };
  for await (const batch of batches) {
    shown = {
      call: shown.call || batch.some((event) => event.type === "tool-call" && event.owner === "client"),
      anything: shown.anything || batch.some(({ type }) => SHOWN_TYPES.has(type)),
    };
    const last = batch.at(-1);
    const isReplaced = last?.type === "turn-end" && replaces(last.outcome, shown);
    if (!isReplaced) yield batch;
    else if (batch.length > 1) yield batch.slice(0, -1);
    if (isReplaced) return true;
  }
  return false;
}

/** All events at once, or none when their end is to be replaced. */
async function* unlessReplaced(
  batches: AsyncIterable<readonly AgentEvent[]>,
  replaces: SecondTurn["replaces"],
): AsyncGenerator<readonly AgentEvent[], boolean, undefined> {
  const events = (await Array.fromAsync(batches)).flat();
  const last = events.at(-1);
  if (last?.type === "turn-end" && replaces(last.outcome, { call: false, anything: false })) return true;
  yield events;
  return false;
}
