import type { AgentEvent, CaretError, ErrorCode, TakeBatch, TurnOutcome } from "@caret/protocol";
import { ChunkWaiter } from "../../async/chunk-waiter.ts";
import type { Decoded } from "../../decode/decoder.ts";
import { outcomeOfStop } from "../lane.ts";
import type { TurnClocks } from "../turn-clocks.ts";
import type { OfferedTurn } from "./offered-turn.ts";

/** What ending a turn needs if its program may have calls that still run. */
export interface LastCalls {
  readonly offered: Pick<OfferedTurn, "unfinished">;
  readonly clocks: TurnClocks;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export interface LastBatch {
  readonly give: TakeBatch<readonly Decoded[]>;
  readonly failureOf: (error: CaretError) => TurnOutcome;
  /** Called before the turn's end is passed on: the program may leave. */
  readonly leave: () => void;
}

/** After breaking its protocol, a program's earlier words are not trusted. */
const brokenProtocol: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["protocol-violation", "protocol-drift"]);

/**
 * Passes on the batch with the turn's end. Calls the program has made are completed first, whatever it did next: reported that it is done,
 * or left. The turn then ends as the program ended it or, if it is stopped in the meantime, with that reason.
 */
export async function giveLast(
  { offered, clocks, now, signal }: LastCalls,
  last: readonly Decoded[],
  { give, failureOf, leave }: LastBatch,
): Promise<void> {
  const end = last.at(-1);
  const giveEnd = async (batch: readonly Decoded[]): Promise<void> => {
    leave();
    await give(batch);
  };
  if (
    offered.unfinished === undefined ||
    end?.event.type !== "turn-end" ||
    isGivenUp(end.event.outcome) ||
    signal.aborted
  )
    return await giveEnd(last);
  const before = last.filter(({ event }) => !isOfEnd(event));
  const counted = last.filter(({ event }) => event.type === "usage");
  // Their results come from the decoder, which does not know that these calls still run.
  clocks.note(before.filter(({ event }) => event.type !== "tool-result"));
  if (before.length > 0) await give(before);
  const waiter = new ChunkWaiter(signal);
  try {
    for (;;) {
      const next = await waiter.next(finished(offered.unfinished()), clocks.deadline() - now());
      if (next.kind === "aborted") return await giveEnd([...counted, endWith(outcomeOfStop(signal))]);
      if (next.kind !== "expired") return await giveEnd([...counted, end]);
      if (clocks.deadline() <= now()) return await giveEnd([...counted, endWith(failureOf(clocks.expired()))]);
    }
  } finally {
    waiter.close();
  }
}

/** Usage comes with the end: reported earlier, it would stop a finished turn for the budget it has used up. */
function isOfEnd({ type }: AgentEvent): boolean {
  return type === "usage" || type === "turn-end";
}

function isGivenUp(outcome: TurnOutcome): boolean {
  return outcome.kind === "cancelled" || (outcome.kind === "failed" && brokenProtocol.has(outcome.error.code));
}

async function finished(calls: Promise<unknown>): Promise<IteratorReturnResult<undefined>> {
  await calls;
  return { done: true, value: undefined };
}

function endWith(outcome: TurnOutcome): Decoded {
  return { event: { type: "turn-end", outcome } };
}
