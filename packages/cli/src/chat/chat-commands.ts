import { CaretError, expandCommand } from "@caret/protocol";
import { listAgentCommands } from "./agent-commands.ts";
import type { ChatCommand, ChatControls } from "./chat-command.ts";
import { sessionCommands } from "./session-commands.ts";
import { settingCommands } from "./setting-commands.ts";

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ["Enter", "send, also to the turn that runs"],
  ["Alt-Enter", "keep it for the end of the turn"],
  ["Shift-Enter, Ctrl-J", "a new line"],
  ["Esc", "stop the turn"],
  ["↑ ↓", "prompts that were typed here before"],
  ["@", "name a file; Tab completes it"],
  ["/", "these commands, then the agent's: .cursor/commands"],
  ["Ctrl-O", "output, diffs and thinking: whole, or shortened"],
  ["Ctrl-C twice, Ctrl-D", "leave; the session is kept"],
];

const ownCommands: readonly ChatCommand[] = [
  {
    name: "details",
    summary: "output, diffs and thinking whole (Ctrl-O)",
    run: (controls) => controls.toggleDetails(),
  },
  { name: "help", summary: "this list", run: (controls) => controls.note(helpLines(controls)) },
  { name: "exit", summary: "leave; the session is kept", run: (controls) => controls.leave() },
];

export const chatCommands: readonly ChatCommand[] = [...settingCommands, ...sessionCommands, ...ownCommands];

/**
 * Runs `/name argument`: one of Caret's commands, or one of the agent's, which is a prompt. An unknown name is an error: it was hardly
 * meant for the agent.
 */
export async function runChatCommand(controls: ChatControls, line: string): Promise<void> {
  const [, name = "", argument = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line.trim()) ?? [];
  const command = chatCommands.find((known) => known.name === name);
  if (command === undefined) await sendAgentCommand(controls, name, line.trim());
  else await command.run(controls, argument.trim());
}

async function sendAgentCommand(controls: ChatControls, name: string, line: string): Promise<void> {
  const commands = await listAgentCommands(controls);
  if (!commands.some((known) => known.name === name))
    throw new CaretError("invalid-request", `There is no command /${name}`, {
      fix: "Type /help for the list; // sends a line to the agent that begins with /.",
    });
  await controls.chat.send(expandCommand(commands, line));
}

function helpLines({ look: { style } }: ChatControls): readonly string[] {
  const typed = chatCommands.map(({ name, argument }) => `/${name}${argument === undefined ? "" : ` ${argument}`}`);
  const width = Math.max(...[...typed, ...KEYS.map(([keys]) => keys)].map((words) => words.length)) + 2;
  const row = (words: string, does: string): string => `  ${style.bold(words.padEnd(width))}${does}`;
  return [
    ...chatCommands.map(({ summary }, index) => row(typed[index] ?? "", summary)),
    "",
    ...KEYS.map(([keys, does]) => row(keys, does)),
  ];
}
