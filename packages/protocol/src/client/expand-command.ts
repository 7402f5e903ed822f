import type { AgentCommandView } from "../api/session-view.ts";

/**
 * What is sent for a prompt that begins with one of the agent's commands: the command's text, and below it what was typed behind its
 * name. A command without a text is sent as it was typed: the agent knows it by its name.
 */
export function expandCommand(commands: readonly Pick<AgentCommandView, "name" | "text">[], typed: string): string {
  const [, name, rest = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(typed) ?? [];
  const text = commands.find((command) => command.name === name)?.text;
  if (text === undefined) return typed;
  return rest === "" ? text : `${text}\n\n${rest}`;
}
