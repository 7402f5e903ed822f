import type { Agents } from "@caret/protocol";

/** Operations on an agent that need its machine: its turns, its worktree and what its queue waits for are there. */
export const agentCommands = [
  ...(["create", "get", "queue", "startQueued", "suspend", "stop"] as const),
  ...(["remove", "changes", "previewMerge", "merge"] as const),
] as const satisfies readonly (keyof Agents)[];

export type AgentMethod = (typeof agentCommands)[number];
/** The name under which a gateway asks a worker for it. */
export type AgentCommand = `agents.${AgentMethod}`;

/** Commands to the worker that has a comparison. */
export type ComparisonCommand = `comparisons.${"start" | "pick" | "drop" | "hold" | "letGo"}`;
