import type { AgentCommandView } from "@caret/protocol";
import { cleanLine, isPlainText } from "../terminal/text-cleaner.ts";
import type { ChatControls, Choice } from "./chat-command.ts";

const places = { workspace: "of this workspace", user: "your own", agent: "the agent's" } as const;

/** The agent's own `/` commands: files of the workspace and the user, plus what the agent has announced. */
export function listAgentCommands({
  client,
  chat,
}: Pick<ChatControls, "client" | "chat">): Promise<readonly AgentCommandView[]> {
  return client.agentCommands(chat.workspace, { lane: chat.lane });
}

/**
 * Completion items for them, except names that Caret's own commands use. Names are drawn as typed, so one with terminal control characters
 * cannot be chosen.
 */
export function agentCommandChoices(commands: readonly AgentCommandView[], taken: ReadonlySet<string>): Choice[] {
  return commands
    .filter(({ name }) => !taken.has(name) && /^\S+$/.test(name) && isPlainText(name))
    .map(({ name, source, description }) => {
      const words = cleanLine(description);
      const place = places[source];
      return { value: `/${name}`, label: `/${name}`, description: words === "" ? place : `${words} (${place})` };
    });
}
