/** Something a person does from within the prompt by its name. */
export interface PromptCommand {
  readonly name: string;
  readonly hint: string;
  /** What it says to the agent: the prompt becomes this. */
  readonly text?: string;
  /** What may stand behind it; absent: it is done by its name alone. */
  readonly choices?: readonly CommandChoice[];
  /** Absent: the agent is sent the command's text, or its name. */
  readonly run?: (choice: string) => void;
}

export interface CommandChoice {
  readonly value: string;
  readonly label: string;
}

/** What fits a prompt that begins with `/`. */
export interface FoundCommand {
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  /** What the prompt becomes when it is taken, where something is yet to be chosen. */
  readonly insert?: string;
  readonly run?: () => void;
}

const MAX_SHOWN = 12;

/** Commands whose name begins with what is typed, or the choices of the one that is named. Other prompts have none. */
export function findCommands(commands: readonly PromptCommand[], text: string): readonly FoundCommand[] {
  const [, name, space, typed = ""] = /^\/([\w.-]*)(?![\w.-])( ?)([^\n]*)$/.exec(text) ?? [];
  if (name === undefined) return [];
  if (space === "")
    return commands.filter((command) => command.name.toLowerCase().startsWith(name.toLowerCase())).map(toFound);
  const command = commands.find((each) => each.name === name);
  return (command?.choices ?? [])
    .filter(({ value, label }) => `${value} ${label}`.toLowerCase().includes(typed.trim().toLowerCase()))
    .slice(0, MAX_SHOWN)
    .map(({ value, label }) => ({
      key: value,
      label,
      hint: label === value ? "" : value,
      run: () => command?.run?.(value),
    }));
}

/** The page's own come first: a command of the agent's of the same name can be sent with a space before it. */
export function withoutTwins(
  ofPage: readonly PromptCommand[],
  ofAgent: readonly PromptCommand[],
): readonly PromptCommand[] {
  const names = new Set(ofPage.map(({ name }) => name));
  return [...ofPage, ...ofAgent.filter(({ name }) => !names.has(name))];
}

function toFound({ name, hint, text, choices, run }: PromptCommand): FoundCommand {
  const found = { key: name, label: `/${name}`, hint };
  if (run === undefined) return { ...found, insert: text ?? `/${name} ` };
  return choices === undefined ? { ...found, run: () => run("") } : { ...found, insert: `/${name} ` };
}
