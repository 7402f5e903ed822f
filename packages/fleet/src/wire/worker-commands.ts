import type { Agents } from "@caret/protocol";

/** What is done with an agent on its machine: its turns, its worktree, and what its queue waits for are there. */
export const agentCommands = [
  ...(["create", "get", "queue", "startQueued", "suspend", "stop"] as const),
  ...(["remove", "changes", "previewMerge", "merge"] as const),
] as const satisfies readonly (keyof Agents)[];

export type AgentMethod = (typeof agentCommands)[number];
/** As a gateway asks a worker for it. */
export type AgentCommand = `agents.${AgentMethod}`;

/** What a gateway asks the worker for that has a comparison. */
export type ComparisonCommand = `comparisons.${"start" | "pick" | "drop" | "hold" | "letGo"}`;
