import type { TurnShare } from "@caret/protocol";
import type { KeyedLock } from "../async/keyed-lock.ts";
import type { SessionEngine } from "../turns/session-engine.ts";
import { answerAgain } from "./answer-again.ts";
import type { TranscriptKey, TranscriptMatch } from "./matching/classify-transcript.ts";
import type { ReadQuestion } from "./matching/read-question.ts";
import { planDemand } from "./plan-turn.ts";
import type { ResolvedRequest } from "./resolved-request.ts";
import { demandUnmet } from "./tool-demand.ts";
import type { TurnRegistry } from "./turn-registry.ts";

export interface CallDemandsOptions {
  readonly engine: Pick<SessionEngine, "runningTurn">;
  readonly registry: Pick<TurnRegistry, "start">;
  readonly lock: KeyedLock;
  readonly lineOf: (question: ReadQuestion) => Promise<TranscriptKey>;
}

/**
 * Where a request demands a call of the client's tools: an agent that ends its turn without one is asked once more, in a
 * turn of its own that goes on in the same answer; if there is still none the answer fails. Other turns stay as they are.
 */
export function createCallDemands({ engine, registry, lock, lineOf }: CallDemandsOptions) {
  const askAgain = async (
    resolved: ResolvedRequest,
    sessionId: string,
    names: readonly string[],
  ): Promise<TurnShare> => {
    await engine.runningTurn(sessionId)?.settled;
    const line = await lineOf(resolved.question);
    const heard = {
      newFrom: resolved.question.messages.length,
      heardBefore: line.count,
      addedSystem: "",
      addedNotes: [],
    };
    const match: TranscriptMatch = { line, relation: "continuation", sessionId, ...heard };
    const shared = await registry.start(match, planDemand(resolved, sessionId, names), resolved);
    return shared.take(line.hash, "continuation", resolved.client);
  };
  return (resolved: ResolvedRequest, turn: TurnShare): TurnShare => {
    const names = resolved.terms.demanded;
    if (names === undefined) return turn;
    return answerAgain(turn, {
      replaces: ({ kind }, { call }) => kind === "completed" && !call,
      start: () => lock.run(resolved.question.scope, () => askAgain(resolved, turn.sessionId, names)),
      failure: demandUnmet(names).toInfo(),
    });
  };
}
