import { CaretError } from "@caret/protocol";
import { Doorbell } from "../async/doorbell.ts";
import type { WaitingQueue } from "../log/agent-store.ts";
import { createAgentPlaces } from "./agent-places.ts";
import { type AgentTurnStarter, createAgentTurnStarter, RETRY_MS } from "./agent-turn-starter.ts";
import type { AgentsOptions } from "./agents-context.ts";

/** Starts turns with waiting messages, for agents and for sessions. */
export interface AgentScheduler extends Pick<AgentTurnStarter, "problemOf" | "begin"> {
  /** Checks the queues again; something changed for this receiver. */
  wake(receiver: string): void;
  /** While `work` runs, the agent gives up its place, because it waits for an answer. */
  away<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  /** While `work` runs, nothing from the session's queue is started: the session is being stopped. */
  paused<Result>(sessionId: string, work: () => Promise<Result>): Promise<Result>;
  /** Starts nothing from now on. Resolves when no start is under way. */
  close(): Promise<void>;
}

/**
 * One loop: a free session gets a turn with the head of its queue and, if a place is free, so does the agent that has waited longest. The
 * message leaves the queue in the commit that logs the start of its turn: a crash before or after it neither loses nor repeats the
 * message.
 */
export function createAgentScheduler(options: AgentsOptions): AgentScheduler {
  const { store, engine, elsewhere, onError, retryMs = RETRY_MS } = options;
  const bell = new Doorbell();
  const places = createAgentPlaces(options);
  const starter = createAgentTurnStarter(options, bell.ring);
  let isClosed = false;
  /** Sessions whose queue is held: what happens in them may free it. */
  let held: ReadonlySet<string> = new Set();
  const pauses = new Map<symbol, string>();
  const lookIfHeld = (sessionId?: string): void => {
    if (sessionId !== undefined && held.has(sessionId)) bell.ring();
  };
  const ends = [
    engine.store.watch(lookIfHeld),
    ...(elsewhere === undefined ? [] : [elsewhere.onAnnounced(bell.ring), elsewhere.onTurn(lookIfHeld)]),
  ];

  /** Waits for a turn that another client started in an agent's session. */
  const isFree = (sessionId: string): boolean => {
    const turn = engine.runningTurn(sessionId);
    void turn?.settled.then(bell.ring);
    return turn === undefined && ![...pauses.values()].includes(sessionId);
  };

  const next = async (): Promise<WaitingQueue | undefined> => {
    const waiting = await store.waiting();
    held = new Set(waiting.filter(({ isHeld }) => isHeld).map(({ sessionId }) => sessionId));
    const free = waiting.filter(
      ({ receiver, sessionId, isHeld }) => !isHeld && !starter.isHeld(receiver) && isFree(sessionId),
    );
    const [first] = free;
    // A person's queued prompts for a session need no place among the agents.
    const own = free.find(({ isAgent }) => !isAgent);
    return own ?? (first !== undefined && (await places.hasFree()) ? first : undefined);
  };

  const startAll = async (): Promise<void> => {
    for (let queue = await next(); queue !== undefined && !isClosed; queue = await next()) await starter.start(queue);
  };

  const loop = async (): Promise<void> => {
    while (!isClosed) {
      bell.clear();
      await startAll().catch((reason: unknown) => {
        onError(CaretError.from(reason));
        // The log may be held without any further ring: check again later.
        setTimeout(bell.ring, retryMs).unref();
      });
      if (!isClosed) await bell.rung();
    }
  };

  const running = loop();

  return {
    wake(receiver) {
      bell.ring();
      elsewhere?.announce(receiver);
    },
    async away(name, work) {
      const comeBack = places.leave(name);
      bell.ring();
      try {
        return await work();
      } finally {
        comeBack();
      }
    },
    async paused(sessionId, work) {
      const pause = Symbol(sessionId);
      pauses.set(pause, sessionId);
      try {
        return await work();
      } finally {
        pauses.delete(pause);
        bell.ring();
      }
    },
    problemOf: starter.problemOf,
    begin: starter.begin,
    async close() {
      isClosed = true;
      for (const end of ends) end();
      bell.ring();
      await running;
    },
  };
}
