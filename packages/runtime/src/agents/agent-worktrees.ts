import { type Agents, CaretError } from "@caret/protocol";
import type { AgentRecord } from "../log/agent-store.ts";
import { mergeWorktree, previewMerge } from "../worktrees/merge-worktree.ts";
import type { Worktree } from "../worktrees/worktree.ts";
import { worktreeChanges } from "../worktrees/worktree-changes.ts";
import type { AgentViews } from "./agent-views.ts";
import type { AgentsOptions } from "./agents-context.ts";

type AgentWorktrees = Pick<Agents, "changes" | "previewMerge" | "merge">;

/** The agents' changes, and merging them back. */
export function agentWorktrees(options: AgentsOptions, views: AgentViews): AgentWorktrees {
  const { git, sessions, engine } = options;

  const found = async (agent: AgentRecord): Promise<Worktree> => {
    const worktree = await worktreeOf(options, agent);
    if (worktree !== undefined) return worktree;
    throw new CaretError("unsupported", `The agent ${agent.name} has no worktree: it works in its workspace itself`, {
      fix: "There is nothing to bring back. Agents made with --worktree have one.",
    });
  };

  return {
    async changes(name, caller) {
      const agent = await views.find(name, caller);
      const worktree = await worktreeOf(options, agent);
      return worktree === undefined
        ? await sessions.changes(agent.sessionId, caller)
        : await worktreeChanges(git, worktree);
    },

    async previewMerge(name, caller) {
      return await previewMerge(git, await found(await views.find(name, caller)));
    },

    async merge(name, { preview, message = `Work of the agent ${name}` }, caller) {
      const agent = await views.find(name, caller);
      const worktree = await found(agent);
      // Holds the session: no turn may begin and change what is being merged.
      return await engine.holdSession(agent.sessionId, () => mergeWorktree(git, worktree, { preview, message }));
    },
  };
}

/** The worktree of an agent, if it has one. */
export async function worktreeOf(
  { engine }: Pick<AgentsOptions, "engine">,
  { sessionId, worktree }: AgentRecord,
): Promise<Worktree | undefined> {
  if (worktree === undefined) return undefined;
  const session = await engine.store.getSession(sessionId);
  return session && { ...worktree, path: session.workspace };
}
