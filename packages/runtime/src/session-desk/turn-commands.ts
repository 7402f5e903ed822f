import { CaretError, type SessionCaller, type SessionDesk } from "@caret/protocol";
import type { RunningTurn } from "../engine/session-engine.ts";
import type { DeskContext } from "./desk-context.ts";

type TurnCommands = Pick<SessionDesk, "startTurn" | "cancelTurn" | "steerTurn" | "answerQuestion" | "answerApproval">;

/** What starts turns, and speaks to those that run. */
export function turnCommands({ options, find, starter }: DeskContext): TurnCommands {
  const { engine } = options;

  const runningIn = async (sessionId: string, caller: SessionCaller): Promise<RunningTurn | undefined> => {
    const { id } = await find(sessionId, caller);
    return engine.runningTurn(id);
  };

  const findTurn = async (sessionId: string, turnId: string, caller: SessionCaller): Promise<RunningTurn> => {
    const turn = await runningIn(sessionId, caller);
    if (turn?.turnId === turnId) return turn;
    throw new CaretError("not-found", `The turn ${turnId} does not run here (any more)`, {
      fix: "Look at the session: the turn has ended, or another process runs it.",
    });
  };

  return {
    async startTurn(sessionId, wanted, caller) {
      const turn = await starter.start(await find(sessionId, caller), wanted);
      return { sessionId: turn.sessionId, turnId: turn.turnId, firstSeq: turn.firstSeq };
    },

    async cancelTurn(sessionId, turnId, caller) {
      (await findTurn(sessionId, turnId, caller)).cancel();
    },

    async steerTurn(sessionId, turnId, text, caller) {
      await (await findTurn(sessionId, turnId, caller)).steer(text);
    },

    async answerQuestion(sessionId, requestId, answer, caller) {
      const turn = await runningIn(sessionId, caller);
      if (turn?.asks.answerQuestion(requestId, answer) !== true) throw nobodyWaits("question", requestId);
    },

    async answerApproval(sessionId, requestId, answer, caller) {
      const turn = await runningIn(sessionId, caller);
      if (turn?.asks.answerApproval(requestId, answer) !== true) throw nobodyWaits("approval", requestId);
    },
  };
}

function nobodyWaits(what: string, requestId: string): CaretError {
  return new CaretError("not-found", `No ${what} ${requestId} waits for an answer (any more)`, {
    fix: "Look at the session: it was answered, or its turn has ended.",
  });
}
