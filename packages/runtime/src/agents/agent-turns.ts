import type { AgentRecord } from "../log/agent-store.ts";
import type { RunningTurn } from "../turns/session-engine.ts";
import { agentPlace } from "./agent-views.ts";
import type { AgentsOptions } from "./agents-context.ts";

/** The turns of agents, as seen by operations that change agents. */
export interface AgentTurns {
  /** The running turn that has not ended yet; one that only cleans up is waited for. */
  working(agent: AgentRecord): Promise<RunningTurn | undefined>;
  /** Cancels the running turn at once. */
  cancel(agent: AgentRecord, reason: string): void;
  /** The same; resolves when none runs. */
  end(agent: AgentRecord, reason: string): Promise<void>;
  /** Ends the processes kept for the agent's next turn. */
  release(agent: AgentRecord): Promise<void>;
}

export function createAgentTurns(options: AgentsOptions): AgentTurns {
  const { engine } = options;
  const cancel: AgentTurns["cancel"] = ({ sessionId }, reason) => engine.runningTurn(sessionId)?.cancel(reason);
  return {
    cancel,
    async working({ sessionId }) {
      const turn = engine.runningTurn(sessionId);
      if (turn === undefined) return undefined;
      const session = await engine.store.getSession(sessionId);
      const hasEnded = session?.lastTurn?.turnId === turn.turnId && session.lastTurn.outcome !== undefined;
      if (!hasEnded) return turn;
      await turn.settled;
      return undefined;
    },
    async end(agent, reason) {
      cancel(agent, reason);
      await engine.runningTurn(agent.sessionId)?.settled;
    },
    async release({ sessionId }) {
      const session = await engine.store.getSession(sessionId);
      if (session === undefined) return;
      await engine.release(session, agentPlace(options, { permission: "auto-edits", ...session }));
    },
  };
}
