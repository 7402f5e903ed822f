import { posix } from "node:path";
import { programName } from "./launch.ts";
import { createMatchFiles, type MatchFiles } from "./matching-files.ts";
import type { CommandLine } from "./read-command-line.ts";
import type { ShellWord } from "./shell-word.ts";

/** Files the commands of a line may open, judging by its words. */
export interface MentionedFiles {
  /** Words that may be files, as written. */
  readonly paths: readonly string[];
  /** Whether the shell computes a word that may be a file. */
  readonly computed: boolean;
}

/** Number of directories after which a line is followed no further. */
const MAX_DIRECTORIES = 64;
/** No system opens longer paths. */
const MAX_PATH = 4_096;
/** Programs whose arguments are not files. */
const fileless: ReadonlySet<string> = new Set([
  ...["echo", "printf", "true", "false", ":", "test", "[", "exit", "return", "sleep", "seq", "expr", "kill"],
]);

/** The files a line's commands name: `cat .env`, `tool --file=.env`, `curl -d @.env`, `git show HEAD:.env`. */
export function mentionedFiles({ commands: run, reads, wanders }: CommandLine, directory: string): MentionedFiles {
  const commands = run.map(({ words }) => words);
  const opening = commands.filter(([name]) => !fileless.has(programName(name?.text ?? "")));
  const words = [...opening.flatMap((command) => command.slice(1)), ...reads];
  const directories = visitedDirectories(commands);
  const match = createMatchFiles(directory);
  const readings = words.filter((word) => !isComputed(word)).map((word) => readingsOf(word, match));
  const named = readings.flatMap((paths) => paths ?? []);
  const paths = named.flatMap((path) =>
    posix.isAbsolute(path) ? [path] : directories.map((directory) => posix.join(directory, path)),
  );
  return {
    paths: [...new Set([...named, ...paths])],
    computed: words.some(isComputed) || readings.includes(undefined) || (wanders && words.length > 0),
  };
}

/** Only the shell knows what `~` is. */
function isComputed({ text, fixed, quoted }: ShellWord): boolean {
  return !fixed || (!quoted && text.startsWith("~"));
}

/**
 * Where a line's commands may run, relative to its start: each `cd` is followed from every earlier directory, since any of them may fail. A
 * path computed by the shell is not listed: it makes the line a computed one.
 */
function visitedDirectories(commands: readonly (readonly ShellWord[])[]): readonly string[] {
  const directories = new Set(["."]);
  for (const target of commands.flatMap(enteredDirectory)) {
    if (directories.size >= MAX_DIRECTORIES) break;
    for (const directory of [...directories])
      directories.add(posix.isAbsolute(target) ? target : posix.join(directory, target));
  }
  return [...directories];
}

function enteredDirectory([name, ...operands]: readonly ShellWord[]): readonly string[] {
  const target = operands.find(({ text }) => !/^-./.test(text));
  const isKnown = /^(cd|chdir|pushd)$/.test(name?.text ?? "") && target !== undefined && !isComputed(target);
  return isKnown ? [target.text] : [];
}

/** Undefined if a pattern's matches cannot be determined in time. */
function readingsOf(word: ShellWord, match: MatchFiles): readonly string[] | undefined {
  const texts = [word.text, ...word.text.split(/[=@:,]/)].filter(
    (text) => text !== "" && text.length <= MAX_PATH && !text.includes("\0"),
  );
  if (!word.spread) return texts;
  const matches = texts.filter((text) => text === word.text || !/[{}]/.test(text)).map(match);
  if (matches.includes(undefined)) return undefined;
  return [...texts, ...matches.flatMap((files) => files ?? [])];
}
