import { join } from "node:path";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { createRedactor } from "../../redaction/redactor.ts";
import { anyone, createSessionBench, type SessionBench } from "../../sessions/testing/session-bench.ts";
import type { SessionEngineOptions } from "../../turns/create-session-engine.ts";
import type { AgentsOptions } from "../agents-context.ts";
import { createAgents } from "../create-agents.ts";

/** Agents over a real log, a real engine and real worktrees; the lane is scripted. */
export function createAgentBench(
  changes: Partial<AgentsOptions> = {},
  engineChanges: Partial<SessionEngineOptions> = {},
) {
  const bench: SessionBench = createSessionBench({}, engineChanges);
  const { sessions, engine, store, scratch, directory, workspace, other } = bench;
  const spawner = createInlineSpawner();
  const redactor = createRedactor({ secrets: [] });
  let ids = 0;
  const agents = createAgents({
    store: store.agents,
    sessions,
    engine,
    scratch,
    allowedWorkspaces: { directories: () => [workspace, other], howToAllow: () => "Allow it." },
    worktreesRoot: join(directory, "scratch"),
    git: { spawner, env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: directory } },
    maxAtWork: 8,
    redactor: () => redactor,
    newId: () => `m${++ids}`,
    now: Date.now,
    onError: (error) => bench.errors.push(error),
    retryMs: 20,
    ...changes,
  });
  return {
    ...bench,
    agents,
    /** Creates an agent in the workspace. */
    add: (name: string) => agents.create({ name, workspace }, anyone),
    /** Resolves when the agent has nothing to do. */
    idle: (name: string) => agents.waitUntilIdle(name, { signal: AbortSignal.timeout(10_000) }, anyone),
    /** The agent's prompts, turn by turn. */
    async prompts(name: string): Promise<readonly (string | undefined)[]> {
      const { sessionId } = await agents.get(name, anyone);
      const events = await store.read(sessionId);
      return events.flatMap(({ event }) => (event.type === "turn-start" ? [event.prompt] : []));
    },
    async close() {
      await agents.close();
      await bench.close();
      await spawner.close();
    },
  };
}

export type AgentBench = ReturnType<typeof createAgentBench>;
