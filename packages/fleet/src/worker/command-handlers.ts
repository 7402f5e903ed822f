import type { Agents, Sessions } from "@caret/protocol";
import { type AgentCommand, agentCommands as agentMethods } from "../wire/agent-commands.ts";
import type { CommandHandlers } from "./run-commands.ts";
import type { RemoteShare } from "./run-conversation-turn.ts";

export interface CommandHandlersOptions {
  readonly sessions: Sessions;
  readonly agents: Agents;
}

/** What gateways may ask of this worker. */
export function commandHandlers(
  { sessions, agents }: CommandHandlersOptions,
  shares: ReadonlyMap<string, RemoteShare>,
): CommandHandlers {
  const { cancelTurn, steerTurn, answerQuestion, answerApproval, listGrants, revokeGrant } = sessions;
  const { changes, sessionChanges, discardHunk, commitChanges, findFiles, findSymbols, agentCommands } = sessions;
  return {
    ...{ cancelTurn, steerTurn, answerQuestion, answerApproval, listGrants, revokeGrant },
    ...{ changes, sessionChanges, discardHunk, commitChanges, findFiles, findSymbols, agentCommands },
    ...agentHandlers(agents),
    create: sessions.create,
    delete: sessions.delete,
    async readImage(...asked: Parameters<Sessions["readImage"]>) {
      const { mediaType, bytes } = await sessions.readImage(...asked);
      return { mediaType, base64: Buffer.from(bytes).toString("base64") };
    },
    async leaveShare(id: string, how: "answered" | "gone") {
      shares.get(id)?.leave(how);
    },
    async stopShare(id: string, reason: string) {
      shares.get(id)?.stop(reason);
    },
  };
}

function agentHandlers(agents: Agents): Record<AgentCommand, CommandHandlers[string]> {
  const entries = agentMethods.map((method) => [`agents.${method}`, agents[method]]);
  return Object.fromEntries(entries) as Record<AgentCommand, CommandHandlers[string]>;
}
