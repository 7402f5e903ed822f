import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningTurn, SessionEngine, TurnRequest } from "@caret/runtime";
import type { SessionLeases } from "../queue/session-leases.ts";

/** How often to check whether the log has the turn's end. */
const UNENDED_MS = 500;

export interface LeasedEngineOptions {
  readonly engine: SessionEngine;
  readonly leases: SessionLeases;
  /** Called with each turn that runs here. */
  readonly onTurn: (turn: RunningTurn) => void;
}

/** A worker's engine: a turn starts only in a session that this worker holds, and keeps holding it until the turn is over. */
export function createLeasedEngine({ engine, leases, onTurn }: LeasedEngineOptions): SessionEngine {
  /** Holders by session; the last one to end releases it. */
  const holders = new Map<string, Set<symbol>>();

  /** Returns a function that releases the session once no other holder is left. */
  const hold = async (sessionId: string): Promise<() => Promise<void>> => {
    const own = Symbol(sessionId);
    const all = holders.get(sessionId) ?? new Set();
    holders.set(sessionId, all.add(own));
    const letGo = async (): Promise<void> => {
      all.delete(own);
      if (all.size > 0) return;
      holders.delete(sessionId);
      // If it cannot be released now, it becomes free when its lease expires.
      await leases.release(sessionId).catch(() => leases.abandon(sessionId));
    };
    try {
      await leases.claim(sessionId);
    } catch (reason) {
      // An earlier holder may have ended meanwhile and left the lease to this one.
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
    // Settles after the release, so a worker notified that the session is free can claim it.
    return { ...turn, settled: turn.settled.then(() => untilEnded(sessionId)).then(letGo) };
  };

  /** Keeps the session until its log has the turn's end, written here or by the worker that took it over. */
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
