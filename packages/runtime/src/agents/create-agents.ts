import type { Agents } from "@caret/protocol";
import { agentLifecycle } from "./agent-lifecycle.ts";
import { agentMessages } from "./agent-messages.ts";
import { agentRegistry } from "./agent-registry.ts";
import { createAgentScheduler } from "./agent-scheduler.ts";
import { createAgentTurns } from "./agent-turns.ts";
import { createAgentViews } from "./agent-views.ts";
import { agentWorktrees } from "./agent-worktrees.ts";
import type { AgentsOptions } from "./agents-context.ts";
import { sessionQueues } from "./session-queues.ts";

export interface RuntimeAgents extends Agents {
  /** Starts no more turns. Call before the engine stops taking turns. */
  close(): Promise<void>;
}

/** The agents of this gateway, over the sessions and the engine. Resumes messages queued before it started. */
export function createAgents(options: AgentsOptions): RuntimeAgents {
  const { store } = options;
  const scheduler = createAgentScheduler(options);
  const views = createAgentViews(options, scheduler);
  const turns = createAgentTurns(options);
  return {
    ...agentRegistry(options, { views, turns, scheduler }),
    ...agentLifecycle(options, { views, turns, scheduler }),
    ...agentMessages(options, views, scheduler),
    ...agentWorktrees(options, views),
    ...sessionQueues(options, scheduler),
    list: views.list,
    get: async (name, caller) => await views.view(await views.find(name, caller), caller),
    async ofSession(sessionId, caller) {
      const agent = await store.ofSession(sessionId);
      return agent && (await views.view(agent, caller));
    },
    close: () => scheduler.close(),
  };
}
