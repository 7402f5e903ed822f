import type { AgentEvent } from "@caret/protocol";
import type { SessionEngine } from "../engine/session-engine.ts";
import type { Line, Verdict } from "../lineage/classify-transcript.ts";
import type { ReadQuestion } from "../lineage/read-question.ts";
import type { Enquiry } from "./enquiry.ts";
import type { KeyedLock } from "./keyed-lock.ts";
import { planDemand } from "./plan-turn.ts";
import { demandUnmet } from "./tool-demand.ts";
import type { TurnBook } from "./turn-book.ts";
import type { DeskTurn } from "./turn-desk.ts";

export interface InsistenceOptions {
  readonly engine: Pick<SessionEngine, "runningTurn">;
  readonly book: Pick<TurnBook, "start">;
  readonly lock: KeyedLock;
  readonly lineOf: (question: ReadQuestion) => Line;
}

/**
 * Where a request demands a call of the client's tools: an agent that ends its turn without one is asked once more, in a
 * turn of its own that goes on in the same answer; if there is still none the answer fails. Other turns stay as they are.
 */
export function createInsistence({ engine, book, lock, lineOf }: InsistenceOptions) {
  const askAgain = async (enquiry: Enquiry, sessionId: string, names: readonly string[]): Promise<DeskTurn> => {
    await engine.runningTurn(sessionId)?.settled;
    const line = lineOf(enquiry.question);
    const heard = {
      newFrom: enquiry.question.messages.length,
      heardBefore: line.count,
      addedSystem: "",
      addedNotes: [],
    };
    const verdict: Verdict = { line, relation: "continuation", sessionId, ...heard };
    const shared = await book.start(verdict, planDemand(enquiry, sessionId, names), enquiry.tokenName);
    return shared.take(line.hash, "continuation", enquiry.client);
  };
  return (enquiry: Enquiry, turn: DeskTurn): DeskTurn => {
    const names = enquiry.terms.demanded;
    if (names === undefined) return turn;
    const again = () => lock.run(enquiry.question.scope, () => askAgain(enquiry, turn.sessionId, names));
    return demandCall(turn, names, again);
  };
}

function demandCall(first: DeskTurn, names: readonly string[], askAgain: () => Promise<DeskTurn>): DeskTurn {
  let current = first;

  async function* follow(signal: AbortSignal): AsyncGenerator<readonly AgentEvent[], void, undefined> {
    for (const isLast of [false, true]) {
      if (!(yield* withoutIdleEnd(current.follow(signal)))) return;
      if (isLast) break;
      current.leave("answered");
      current = await askAgain();
    }
    yield [{ type: "turn-end", outcome: { kind: "failed", error: demandUnmet(names).toInfo() } }];
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

/** Passes events on, but not the end of a turn that completed without a call. True when that is how it ended. */
async function* withoutIdleEnd(
  batches: AsyncIterable<readonly AgentEvent[]>,
): AsyncGenerator<readonly AgentEvent[], boolean, undefined> {
  let hasCalled = false;
  for await (const batch of batches) {
    hasCalled ||= batch.some((event) => event.type === "tool-call" && event.owner === "client");
    const last = batch.at(-1);
    const isIdleEnd = !hasCalled && last?.type === "turn-end" && last.outcome.kind === "completed";
    if (!isIdleEnd) yield batch;
    else if (batch.length > 1) yield batch.slice(0, -1);
    if (isIdleEnd) return true;
  }
  return false;
}
