import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningTurn, SessionEngine, TurnRequest } from "@caret/runtime";
import type { SessionLeases } from "../queue/session-leases.ts";

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
  /** By session: for what it is held. What ends last lets it go. */
  const holders = new Map<string, Set<symbol>>();

  /** Gives what lets the session go, unless something else holds it then. */
  const hold = async (sessionId: string): Promise<() => Promise<void>> => {
    const own = Symbol(sessionId);
    const all = holders.get(sessionId) ?? new Set();
    holders.set(sessionId, all.add(own));
    const letGo = async (): Promise<void> => {
      all.delete(own);
      if (all.size > 0) return;
      holders.delete(sessionId);
      // What cannot be released now is free when its lease has run out.
      await leases.release(sessionId).catch(() => leases.abandon(sessionId));
    };
    try {
      await leases.claim(sessionId);
    } catch (reason) {
      // What held it before may have ended meanwhile, and left the lease to this.
      await letGo();
      throw reason;
    }
    return letGo;
  };

  const start = async (request: TurnRequest, begin: SessionEngine["beginTurn"]): Promise<RunningTurn> => {
    const sessionId = request.sessionId ?? request.newSessionId ?? randomUUID();
    const letGo = await hold(sessionId);
    const named = request.sessionId === undefined ? { ...request, newSessionId: sessionId } : request;
    const turn = await begin(named).catch(async (reason: unknown) => {
      await letGo();
      throw reason;
    });
    onTurn(turn);
    // A worker that is notified that the session is free finds it released.
    return { ...turn, settled: turn.settled.then(() => untilEnded(sessionId)).then(letGo) };
  };

  /** A session whose turn has no end in the log yet is held until it has one, written here or by the worker that took it over. */
  const untilEnded = async (sessionId: string): Promise<void> => {
    while (engine.hasUnendedTurn(sessionId)) await sleep(UNENDED_MS);
  };

  return {
    ...engine,
    startTurn: (request) => start(request, engine.startTurn),
    beginTurn: (request) => start(request, engine.beginTurn),
    async holdSession(sessionId, work) {
      const letGo = await hold(sessionId);
      try {
        return await engine.holdSession(sessionId, work);
      } finally {
        await letGo();
      }
    },
  };
}
