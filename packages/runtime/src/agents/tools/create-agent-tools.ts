import type { Tool } from "../../tools/tool.ts";
import type { AgentIdentity } from "./agent-tool.ts";
import { messageTools } from "./message-tools.ts";
import { spawnTool } from "./spawn-tool.ts";

/** An agent's additional tools: talk to other agents and people, and create agents. */
export function createAgentTools(identity: AgentIdentity): readonly Tool[] {
  return [...messageTools(identity), spawnTool(identity)];
}
