import type { AvailableCommand } from "@agentclientprotocol/sdk";
import { type NativeClient, usageWords } from "@caret/protocol";

type CommandClient = Pick<NativeClient, "changes" | "changeSession" | "getSession" | "listGrants" | "revokeGrant">;

interface SlashCommand extends Omit<AvailableCommand, "name"> {
  /** Returns what is shown in place of the agent's answer. */
  readonly run: (caret: CommandClient, sessionId: string, argument: string) => Promise<string>;
}

/** Commands to Caret itself; they start no turn. Anything else that begins with `/` goes to the agent. */
const commands: Readonly<Record<string, SlashCommand>> = {
  changes: {
    description: "Show the uncommitted changes of the workspace",
    async run(caret, sessionId) {
      const { isRepository, files } = await caret.changes(sessionId);
      if (!isRepository) return "The workspace is not a git repository.";
      if (files.length === 0) return "Nothing has changed.";
      return files.map(({ path, status, unified }) => `${status} ${path}${fenced(unified)}`).join("\n");
    },
  },
  rename: {
    description: "Give the session another title",
    input: { hint: "the title" },
    async run(caret, sessionId, title) {
      if (title === "") return "Write the title behind `/rename`.";
      const { title: given } = await caret.changeSession(sessionId, { title });
      return `The session is called “${given}”.`;
    },
  },
  grants: {
    description: "List what is allowed for the rest of the session; `/grants clear` takes all of it back",
    input: { hint: "clear" },
    async run(caret, sessionId, argument) {
      const grants = await caret.listGrants(sessionId);
      if (grants.length === 0) return "Nothing is allowed for the rest of the session.";
      if (argument !== "clear")
        return grants.map(({ label, uses }) => `- ${label} (${uses} ${uses === 1 ? "use" : "uses"})`).join("\n");
      await Promise.all(grants.map(({ id }) => caret.revokeGrant(sessionId, id)));
      return "You are asked about everything again.";
    },
  },
  usage: {
    description: "Show what the session has consumed, as far as the upstream reports it",
    async run(caret, sessionId) {
      const { usage } = await caret.getSession(sessionId);
      if (usage === undefined) return "The upstream has reported no usage.";
      const words = usageWords(usage).join(", ");
      return usage.cost === undefined ? `${words}; the cost is not known` : words;
    },
  },
};

export const availableCommands: AvailableCommand[] = Object.entries(commands).map(([name, { run: _, ...command }]) => ({
  name,
  ...command,
}));

/** Undefined if the prompt is for the agent. */
export function slashCommandIn(
  prompt: string,
): ((caret: CommandClient, sessionId: string) => Promise<string>) | undefined {
  const [, name = "", argument = ""] = /^\/([a-z]+)(?:\s+(.*))?$/s.exec(prompt.trim()) ?? [];
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return command && ((caret, sessionId) => command.run(caret, sessionId, argument.trim()));
}

function fenced(unified: string | undefined): string {
  return unified === undefined ? "" : `\n\n\`\`\`\`diff\n${unified.trimEnd()}\n\`\`\`\`\n`;
}
