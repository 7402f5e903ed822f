import type { Tool } from "../../tools/tool.ts";
import type { AgentIdentity } from "./agent-tool.ts";
import { messageTools } from "./message-tools.ts";
import { spawnTool } from "./spawn-tool.ts";

/** What an agent can do besides its work: talk to other agents and to people, and make agents. */
export function createAgentTools(identity: AgentIdentity): readonly Tool[] {
  return [...messageTools(identity), spawnTool(identity)];
}
