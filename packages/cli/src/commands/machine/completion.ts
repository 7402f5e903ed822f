import { type Recipe, recipes } from "@caret/protocol/recipes";
import { Argument, Command } from "commander";
import type { ExitCode, Host } from "../../host/host.ts";
import { printLines } from "../../terminal/print.ts";
import type { CommandEntry } from "../index.ts";

/**
 * The scripts ask `caret completion words` for the next words, so they are never older than the program. After an option that takes a value
 * the shell offers files.
 */
const scripts = {
  bash: `_caret() {
  local words
  words=$(caret completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null | cut -f1)
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _caret caret`,
  zsh: `#compdef caret
_caret() {
  local -a next
  next=("\${(@f)$(caret completion words -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null | sed 's/:/\\\\:/g' | tr '\\t' ':')}")
  if [[ -n "\${next[1]}" ]]; then _describe caret next; else _files; fi
}
compdef _caret caret`,
  fish: `complete -c caret -f -a '(set -l typed (commandline -opc); caret completion words -- $typed[2..] 2>/dev/null)'`,
};

type Shell = keyof typeof scripts;

/** Commands whose first argument is a client, and which clients each accepts. */
const clientsOf: Readonly<Record<string, (recipe: Recipe) => boolean>> = {
  connect: () => true,
  install: ({ installation }) => installation !== undefined,
  uninstall: ({ installation }) => installation !== undefined,
  launch: ({ launch }) => launch !== undefined,
};

type Commands = ReadonlyMap<string, CommandEntry>;

export function addCompletionCommand(
  program: Command,
  host: Host,
  done: (code: ExitCode) => void,
  commands: Commands,
): void {
  program
    .command("completion")
    .description("a script that lets your shell complete caret's commands and options")
    .addArgument(new Argument("<shell>", "which shell").choices([...Object.keys(scripts), "words"]))
    .argument("[typed...]", "with `words`: what stands on the command line so far")
    .action(async (shell: Shell | "words", typed: readonly string[]) =>
      done(await printLines(host, shell === "words" ? await nextWords(typed, commands) : [scripts[shell]])),
    );
}

/** Possible next words, each followed by a tab and its meaning. */
async function nextWords(typed: readonly string[], commands: Commands): Promise<readonly string[]> {
  const [name = "", ...rest] = typed;
  const entry = commands.get(name);
  if (entry === undefined)
    return typed.length === 0 ? [...commands].map(([word, { summary }]) => line(word, summary)) : [];
  const command = rest.filter((word) => !word.startsWith("-")).reduce(subcommand, await loadCommand(name, entry));
  const last = rest.at(-1) ?? "";
  const option = command.options.find(({ long, short }) => last === long || last === short);
  if (option?.required === true || option?.optional === true) return option.argChoices ?? [];
  const options = command.options.filter(({ hidden, long }) => !hidden && long !== undefined);
  const isFirst = rest.every((word) => word.startsWith("-"));
  return [
    ...(isFirst ? clientLines(name) : []),
    ...command.commands.map((next) => line(next.name(), next.description())),
    ...options.map(({ long = "", description }) => line(long, description)),
  ];
}

function clientLines(command: string): readonly string[] {
  const isMeant = clientsOf[command] ?? (() => false);
  const all = recipes({ url: "", token: "" });
  return all.filter(isMeant).map(({ id, name }) => line(id, name));
}

/** A word that names no subcommand is an argument. */
function subcommand(command: Command, word: string): Command {
  return command.commands.find((candidate) => candidate.name() === word) ?? command;
}

async function loadCommand(name: string, { load }: CommandEntry): Promise<Command> {
  const program = new Command();
  // Only described, never run, so it needs no host.
  (await load())(program, undefined as unknown as Host, () => undefined);
  return program.commands.find((command) => command.name() === name) ?? program;
}

function line(word: string, description: string): string {
  return `${word}\t${description}`;
}
