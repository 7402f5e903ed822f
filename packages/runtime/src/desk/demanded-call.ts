import type { SessionEngine } from "../engine/session-engine.ts";
import type { Line, Verdict } from "../lineage/classify-transcript.ts";
import type { ReadQuestion } from "../lineage/read-question.ts";
import { answerAgain } from "./answer-again.ts";
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
    return answerAgain(turn, {
      replaces: ({ kind }, { call }) => kind === "completed" && !call,
      start: () => lock.run(enquiry.question.scope, () => askAgain(enquiry, turn.sessionId, names)),
      failure: demandUnmet(names).toInfo(),
    });
  };
}
