import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningTurn, SessionEngine, TurnRequest } from "@caret/runtime";
import type { SessionLeases } from "./session-leases.ts";

/** How often to look whether the log has taken the end of a turn. */
const UNENDED_MS = 500;

export interface LeasedEngineOptions {
  readonly engine: SessionEngine;
  readonly leases: SessionLeases;
  /** Called with each turn that runs here. */
  readonly onTurn: (turn: RunningTurn) => void;
}

/** The engine of a worker: a turn starts only in a session that this worker holds, and holds it until it is over. */
export function createLeasedEngine({ engine, leases, onTurn }: LeasedEngineOptions): SessionEngine {
  const start = async (request: TurnRequest, begin: SessionEngine["beginTurn"]): Promise<RunningTurn> => {
    const sessionId = request.sessionId ?? request.newSessionId ?? randomUUID();
    await leases.claim(sessionId);
    const named = request.sessionId === undefined ? { ...request, newSessionId: sessionId } : request;
    const turn = await begin(named).catch(async (reason: unknown) => {
      // Of a session with a running turn, the claim is that turn's too.
      if (engine.runningTurn(sessionId) === undefined) await leases.release(sessionId);
      throw reason;
    });
    onTurn(turn);
    // A worker that is notified that the session is free finds it released.
    return { ...turn, settled: turn.settled.then(() => free(sessionId)) };
  };

  /** A session whose turn has no end in the log yet is held until it has one, written here or by the worker that took it over. */
  const free = async (sessionId: string): Promise<void> => {
    while (engine.hasUnendedTurn(sessionId)) await sleep(UNENDED_MS);
    // What cannot be released now is free when its lease has run out.
    await leases.release(sessionId).catch(() => leases.abandon(sessionId));
  };

  return {
    ...engine,
    startTurn: (request) => start(request, engine.startTurn),
    beginTurn: (request) => start(request, engine.beginTurn),
  };
}
