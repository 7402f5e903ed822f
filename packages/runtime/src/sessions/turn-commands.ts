import { type Caller, CaretError, type Sessions, type StartTurn } from "@caret/protocol";
import type { EventStore, SessionRecord } from "../log/event-store.ts";
import { toGrantView } from "../policy/grants/session-grants.ts";
import { freeSession } from "../turns/free-session.ts";
import type { RunningTurn, SessionEngine } from "../turns/session-engine.ts";
import { commandOf } from "./session-directories.ts";
import type { SessionsContext } from "./sessions-context.ts";

/** How long a turn waits for the snapshot of a workspace that its session begins with. A very large one is taken beside it. */
const BASELINE_MS = 500;

type TurnCommands = Pick<
  Sessions,
  "startTurn" | "cancelTurn" | "steerTurn" | "answerQuestion" | "answerApproval" | "listGrants" | "revokeGrant"
>;

export interface BeginTurn {
  /** As `startTurn`, for a caller in this process: it is given the turn itself, and may have chosen its id. */
  beginTurn(sessionId: string, wanted: StartTurn, caller: Caller, turnId?: string): Promise<RunningTurn>;
}

/** What starts turns, and speaks to those that run. */
export function turnCommands({ options, find, starter, store, baselines }: SessionsContext): TurnCommands & BeginTurn {
  const { engine } = options;

  const runningIn = async (sessionId: string, caller: Caller): Promise<RunningTurn | undefined> => {
    const { id } = await find(sessionId, caller);
    return engine.runningTurn(id);
  };

  const findTurn = async (sessionId: string, turnId: string, caller: Caller): Promise<RunningTurn> => {
    const turn = await runningIn(sessionId, caller);
    if (turn?.turnId === turnId) return turn;
    throw (await isInLog(store, sessionId, turnId)) ? runsElsewhere(turnId) : isOver(turnId);
  };

  const beginTurn: BeginTurn["beginTurn"] = async (sessionId, wanted, caller, turnId) => {
    const session = await find(sessionId, caller);
    // What the agent changes must not become part of what it is compared with.
    await baselines.settled(session.id, BASELINE_MS);
    const { tokenName: client, traceparent } = caller;
    const named = turnId === undefined ? {} : { turnId };
    return await starter.start(session, wanted, { ...commandOf(caller), client, traceparent, ...named });
  };

  return {
    beginTurn,
    async startTurn(sessionId, wanted, caller) {
      const turn = await beginTurn(sessionId, wanted, caller);
      return { sessionId: turn.sessionId, turnId: turn.turnId, firstSeq: turn.firstSeq };
    },

    async cancelTurn(sessionId, turnId, caller) {
      const session = await find(sessionId, caller);
      const turn = engine.runningTurn(session.id);
      if (turn?.turnId === turnId) return turn.cancel("You stopped the turn");
      if (!(await isInLog(store, session.id, turnId))) throw isOver(turnId);
      await endAbandoned(engine, session, turnId);
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
      const answered = turn?.asks.answerApproval(requestId, answer);
      if (answered === undefined) throw nobodyWaits("approval", requestId);
      return answered;
    },

    async listGrants(sessionId, caller) {
      const { id } = await find(sessionId, caller);
      return starter.grants(id).list().map(toGrantView);
    },

    async revokeGrant(sessionId, grantId, caller) {
      const { id } = await find(sessionId, caller);
      if (!starter.grants(id).revoke(grantId))
        throw new CaretError("not-found", `The session has no grant ${grantId} (any more)`);
    },
  };
}

/** Whether the turn runs according to the log, in any process. */
async function isInLog(store: EventStore, sessionId: string, turnId: string): Promise<boolean> {
  return (await store.runningTurns({ sessionId })).some((turn) => turn.turnId === turnId);
}

/** A turn whose process has died only needs its end in the log. */
async function endAbandoned(engine: SessionEngine, session: SessionRecord, turnId: string): Promise<void> {
  try {
    await engine.holdSession(session.id, () => freeSession(engine.store, session));
  } catch (reason) {
    throw CaretError.is(reason) && reason.code === "session-busy" ? runsElsewhere(turnId) : reason;
  }
}

function isOver(turnId: string): CaretError {
  return new CaretError("not-found", `The turn ${turnId} does not run (any more)`, {
    fix: "Look at the session: the turn has ended.",
  });
}

function runsElsewhere(turnId: string): CaretError {
  return new CaretError("session-busy", `Another process runs the turn ${turnId}`, {
    fix: "Stop it where it was started: with Ctrl-C in its terminal.",
  });
}

function nobodyWaits(what: string, requestId: string): CaretError {
  return new CaretError("not-found", `No ${what} ${requestId} waits for an answer (any more)`, {
    fix: "Look at the session: it was answered, or its turn has ended.",
  });
}
