import { globSync } from "node:fs";
import { programName } from "./launch.ts";
import type { CommandLine } from "./read-command-line.ts";
import type { ShellWord } from "./shell-cursor.ts";

/** What the words of a line say about the files that its commands may open. */
export interface MentionedFiles {
  /** Words that may be files, as they are written. */
  readonly paths: readonly string[];
  /** Does the shell compute a word that may be a file? */
  readonly computed: boolean;
}

/** Programs whose arguments are no files. */
const fileless: ReadonlySet<string> = new Set([
  ...["echo", "printf", "true", "false", ":", "test", "[", "exit", "return", "sleep", "seq", "expr", "kill"],
]);

/** The files that the commands of a line name: `cat .env`, `tool --file=.env`, `curl -d @.env`, `git show HEAD:.env`. */
export function mentionedFiles({ commands, reads }: CommandLine, directory: string): MentionedFiles {
  const opening = commands.filter(([name]) => !fileless.has(programName(name?.text ?? "")));
  const words = [...opening.flatMap((command) => command.slice(1)), ...reads];
  const paths = words.filter(({ fixed }) => fixed).flatMap((word) => readingsOf(word, directory));
  return { paths: [...new Set(paths)], computed: words.some(({ fixed }) => !fixed) };
}

function readingsOf(word: ShellWord, directory: string): readonly string[] {
  const texts = [word.text, ...word.text.split(/[=@:,]/)].filter((text) => text !== "" && !text.includes("\0"));
  return word.spread ? [...texts, ...texts.flatMap((text) => matching(text, directory))] : texts;
}

function matching(pattern: string, directory: string): readonly string[] {
  // Without a setting of its own, the shell does not descend for two stars.
  return globSync(pattern.replaceAll(/\*\*+/g, "*"), { cwd: directory });
}
