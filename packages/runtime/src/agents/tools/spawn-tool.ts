import { CaretError, HUMAN, type SandboxWord, strictest } from "@caret/protocol";
import type { Tool } from "../../tools/tool.ts";
import { type AgentIdentity, agentTool, text } from "./agent-tool.ts";

/** Enough to divide a task; an agent that wants more is lost. */
const MAX_SPAWNED = 8;

interface SpawnInput {
  readonly name: string;
  readonly task: string;
  readonly model?: string;
  readonly worktree?: boolean;
}

/**
 * The tool by which an agent creates another one. The new agent has at most its maker's rights: the same permission, sandbox and limits,
 * and the same directory or a worktree of it. Agents made by agents cannot make any.
 */
export function spawnTool(identity: AgentIdentity): Tool {
  const { agents, name, caller } = identity;
  return agentTool<SpawnInput>({
    name: "spawn_agent",
    description: "Makes another agent and gives it a task. It works on its own; its messages come to your inbox.",
    properties: {
      name: { ...text, description: "Small letters, digits and hyphens." },
      task: { ...text, description: "The task, with all it has to know, and whom to send the result to." },
      model: text,
      worktree: {
        type: "boolean",
        description: "Whether it works in a git worktree of your workspace instead of in it.",
      },
    },
    required: ["name", "task"],
    async run({ name: wanted, task, model, worktree = false }) {
      const maker = await agents.get(name, caller);
      await assertMaySpawn(identity, maker.createdBy);
      const { workspace, permission, budget } = maker;
      const sandbox: SandboxWord = strictest(maker.sandbox);
      const place = worktree ? { worktree: maker.worktree?.repository ?? workspace } : { workspace };
      const chosen = { name: wanted, permission, sandbox, budget, ...(model === undefined ? {} : { model }) };
      await agents.create({ ...chosen, ...place }, caller, name);
      const { id } = await agents.send(wanted, { text: task }, caller, name);
      return JSON.stringify({ agent: wanted, message: id });
    },
  });
}

async function assertMaySpawn({ agents, name, caller }: AgentIdentity, createdBy: string): Promise<void> {
  if (createdBy !== HUMAN)
    throw new CaretError("forbidden", "An agent that was made by another one cannot make agents", {
      fix: `Ask ${createdBy} to do it.`,
    });
  const made = (await agents.list(caller)).filter((agent) => agent.createdBy === name);
  if (made.length >= MAX_SPAWNED)
    throw new CaretError("forbidden", `You have made ${made.length} agents: that is the limit`, {
      fix: "Use those that there are, or ask a person to remove some.",
    });
}
