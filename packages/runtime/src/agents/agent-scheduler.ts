import { CaretError } from "@caret/protocol";
import { Doorbell } from "../async/doorbell.ts";
import type { WaitingAgent } from "../log/agent-store.ts";
import { createAgentPlaces } from "./agent-places.ts";
import { type AgentTurnStarter, createAgentTurnStarter } from "./agent-turn-starter.ts";
import type { AgentsOptions } from "./agents-context.ts";

/** Starts turns with the messages that wait. */
export interface AgentScheduler extends Pick<AgentTurnStarter, "problemOf"> {
  /** Look again at what waits. */
  wake(): void;
  /** While the work runs, the agent leaves its place to another one: it waits for an answer. */
  away<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  /** Starts nothing from here on. Resolves when nothing is being started. */
  close(): Promise<void>;
}

/**
 * One loop: while there is a place, the agent that has waited longest gets a turn with the head of its queue. The message leaves the
 * queue in the commit that logs the start of its turn: a crash on either side of it neither loses nor repeats it.
 */
export function createAgentScheduler(options: AgentsOptions): AgentScheduler {
  const { store, engine, onError } = options;
  const bell = new Doorbell();
  const places = createAgentPlaces(options);
  const starter = createAgentTurnStarter(options, bell.ring);
  let isClosed = false;

  /** A turn that another client started in an agent's session is waited for. */
  const isFree = (sessionId: string): boolean => {
    const turn = engine.runningTurn(sessionId);
    void turn?.settled.then(bell.ring);
    return turn === undefined;
  };

  const next = async (): Promise<WaitingAgent | undefined> => {
    const waiting = (await store.waiting()).find(({ name, sessionId }) => !starter.isHeld(name) && isFree(sessionId));
    return waiting !== undefined && (await places.hasFree()) ? waiting : undefined;
  };

  const startAll = async (): Promise<void> => {
    for (let agent = await next(); agent !== undefined && !isClosed; agent = await next()) await starter.start(agent);
  };

  const loop = async (): Promise<void> => {
    while (!isClosed) {
      bell.clear();
      await startAll().catch((reason: unknown) => onError(CaretError.from(reason)));
      if (!isClosed) await bell.rung();
    }
  };

  const running = loop();

  return {
    wake: bell.ring,
    async away(name, work) {
      const comeBack = places.leave(name);
      bell.ring();
      try {
        return await work();
      } finally {
        comeBack();
      }
    },
    problemOf: starter.problemOf,
    async close() {
      isClosed = true;
      bell.ring();
      await running;
    },
  };
}
