import type { AgentCommandView } from "../api/session-view.ts";

/**
 * Expands a prompt that begins with one of the agent's commands to the command's text, followed by whatever was typed after its name. A
 * command without a text is sent as typed: the agent knows it by name.
 */
export function expandCommand(commands: readonly Pick<AgentCommandView, "name" | "text">[], typed: string): string {
  const [, name, rest = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(typed) ?? [];
  const text = commands.find((command) => command.name === name)?.text;
  if (text === undefined) return typed;
  return rest === "" ? text : `${text}\n\n${rest}`;
}
