import { type Agents, type Caller, CaretError } from "@caret/protocol";
import { untilAborted } from "../async/until-aborted.ts";
import type { AgentScheduler } from "./agent-scheduler.ts";
import { forgetSecrets } from "./agent-turn-starter.ts";
import type { AgentTurns } from "./agent-turns.ts";
import type { AgentViews } from "./agent-views.ts";
import type { AgentsOptions } from "./agents-context.ts";

type AgentLifecycle = Pick<Agents, "suspend" | "resume" | "stop" | "waitUntilIdle">;

interface AgentLifecycleParts {
  readonly views: AgentViews;
  readonly turns: AgentTurns;
  readonly scheduler: AgentScheduler;
}

/** Suspends, resumes and stops agents. */
export function agentLifecycle(
  options: AgentsOptions,
  { views, turns, scheduler }: AgentLifecycleParts,
): AgentLifecycle {
  const { store, engine } = options;
  const show = async (name: string, caller: Caller) => views.view(await views.find(name, caller), caller);

  return {
    async suspend(name, { now = false }, caller) {
      const agent = await views.find(name, caller);
      const reason = "The agent was suspended";
      await scheduler.paused(agent.sessionId, async () => {
        // A stop does not wait for the log.
        if (now) turns.cancel(agent, reason);
        await store.suspend(name, { since: options.now() });
        if (now) await turns.end(agent, reason);
      });
      const running = await turns.working(agent);
      if (running === undefined) await turns.release(agent);
      else
        void running.settled
          .then(() => turns.release(agent))
          .catch((reason: unknown) => options.onError(CaretError.from(reason)));
      return await show(name, caller);
    },

    async resume(name, caller) {
      await views.find(name, caller);
      await store.suspend(name, undefined);
      scheduler.wake(name);
      return await show(name, caller);
    },

    async stop(name, caller) {
      const agent = await views.find(name, caller);
      const reason = "You stopped the agent";
      return await scheduler.paused(agent.sessionId, async () => {
        // A stop does not wait for the log. The turn's end would start the next one, but not while this runs.
        turns.cancel(agent, reason);
        const dropped = await store.drop(name);
        for (const message of dropped) await forgetSecrets(options, message);
        await turns.end(agent, reason);
        return dropped;
      });
    },

    async waitUntilIdle(name, { signal }, caller) {
      for (;;) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const { sessionId } = await views.find(name, caller);
        // Subscribe before looking, so no change in between is missed.
        const look = (touched?: string): void => {
          if (touched === undefined || touched === sessionId) resolve();
        };
        const ends = [engine.store.watch(look), options.elsewhere?.onTurn(look), options.elsewhere?.onAnnounced(look)];
        try {
          const agent = await show(name, caller);
          if (agent.doing.kind === "idle" || agent.doing.kind === "suspended") return agent;
          await untilAborted(promise, signal);
        } finally {
          for (const end of ends) end?.();
        }
      }
    },
  };
}
