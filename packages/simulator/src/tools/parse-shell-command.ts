interface ShellWord {
  /** The syntax tree's name for it: `word`, `string` (double quotes), `raw_string` (single quotes), `number`. */
  readonly type: string;
  readonly value: string;
}

interface ExecutableCommand {
  readonly name: string;
  readonly args: readonly ShellWord[];
  readonly fullText: string;
}

interface ShellRedirect {
  readonly operator: string;
  readonly destinationFds: readonly number[];
  readonly targetNodeType: string;
  readonly targetText: string;
}

export interface ShellParsing {
  readonly parsingFailed: boolean;
  readonly executableCommands: readonly ExecutableCommand[];
  readonly hasRedirects: boolean;
  readonly hasCommandSubstitution: boolean;
  readonly redirects: readonly ShellRedirect[];
}

/** Words in any quoting, redirections with their target, and the operators between commands. */
const tokenPattern =
  /(?<redirect>(?:\d*|&)(?:>>|>&|>|<<<|<<|<)\s*(?:&?\d|[^\s;|&<>]+)?)|(?<operator>&&|\|\||[;|&\n])|(?<word>(?:"(?:\\.|[^"\\])*"|'[^']*'|\$\([^()]*\)|`[^`]*`|\\.|[^\s;|&<>"'`\\])+)/gs;

/** Enough of a shell grammar for permission rules and for the wire; it never decides how a command runs. */
export function parseShellCommand(command: string): ShellParsing {
  const commands: ExecutableCommand[] = [];
  const redirects: ShellRedirect[] = [];
  let words: string[] = [];
  const finish = () => {
    const executable = toExecutable(words);
    if (executable !== undefined) commands.push(executable);
    words = [];
  };
  for (const { groups } of command.matchAll(tokenPattern)) {
    if (groups?.["redirect"] !== undefined) redirects.push(toRedirect(groups["redirect"]));
    else if (groups?.["operator"] !== undefined) finish();
    else if (groups?.["word"] !== undefined) words.push(groups["word"]);
  }
  finish();
  return {
    parsingFailed: hasOpenQuote(command),
    executableCommands: commands,
    hasRedirects: redirects.length > 0,
    hasCommandSubstitution: substitutions(command).length > 0,
    redirects,
  };
}

/** Every command that would run, those inside `$(…)` and backticks too: what permission rules must see. */
export function allCommands(command: string): readonly string[] {
  const own = parseShellCommand(command).executableCommands.map(({ fullText }) => fullText);
  return [...own, ...substitutions(command).flatMap(allCommands)];
}

function substitutions(command: string): string[] {
  return [...command.matchAll(/\$\(([^()]*)\)|`([^`]*)`/g)].map((match) => match[1] ?? match[2] ?? "");
}

function toExecutable(words: readonly string[]): ExecutableCommand | undefined {
  const first = words.findIndex((word) => !/^\w+=/.test(word));
  const [name, ...args] = first < 0 ? [] : words.slice(first);
  if (name === undefined) return undefined;
  return { name: unquote(name), args: args.map(toWord), fullText: [name, ...args].join(" ") };
}

function toWord(word: string): ShellWord {
  if (/^".*"$/s.test(word)) return { type: "string", value: word };
  if (/^'.*'$/s.test(word)) return { type: "raw_string", value: word };
  return { type: /^\d+$/.test(word) ? "number" : "word", value: word };
}

function toRedirect(text: string): ShellRedirect {
  const [, fd = "", operator = "", target = ""] = /^(\d*|&)([<>]+&?)\s*(.*)$/s.exec(text) ?? [];
  return {
    operator,
    destinationFds: /^\d+$/.test(fd) ? [Number(fd)] : [],
    targetNodeType: /^&?\d$/.test(target) ? "number" : "word",
    targetText: target,
  };
}

function unquote(word: string): string {
  return word.replace(/["'\\]/g, "");
}

function hasOpenQuote(command: string): boolean {
  const rest = command.replace(/\\.|"(?:\\.|[^"\\])*"|'[^']*'/gs, "");
  return /["']/.test(rest);
}
