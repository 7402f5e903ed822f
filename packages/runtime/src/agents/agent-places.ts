import type { RunningTurn } from "../turns/session-engine.ts";
import type { AgentsOptions } from "./agents-context.ts";

/** The places for agents at work, limited by the settings. */
export interface AgentPlaces {
  hasFree(): Promise<boolean>;
  /** The agent waits for another's answer, which may need its place. Returns a function that takes the place back. */
  leave(name: string): () => void;
}

export function createAgentPlaces({ store, engine, maxAtWork }: AgentsOptions): AgentPlaces {
  const away = new Map<string, number>();
  const change = (name: string, by: number): void => {
    const count = (away.get(name) ?? 0) + by;
    if (count === 0) away.delete(name);
    else away.set(name, count);
  };
  return {
    async hasFree() {
      const agents = await store.list();
      const atWork = agents.filter(({ name, sessionId }) => !away.has(name) && isAtWork(engine.runningTurn(sessionId)));
      return atWork.length < maxAtWork;
    },
    leave(name) {
      change(name, 1);
      return () => change(name, -1);
    },
  };
}

/** A turn that waits for a person takes no place. */
function isAtWork(turn: RunningTurn | undefined): boolean {
  return turn !== undefined && turn.asks.open().length === 0;
}
