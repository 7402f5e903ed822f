import { programName } from "./launch.ts";
import type { SimpleCommand } from "./shell-findings.ts";
import type { ShellWord } from "./shell-word.ts";

/** Number of directories after which a line is followed no further. */
const MAX_DIRECTORIES = 32;

/** Directories a command may run in, relative to where the line starts. Undefined: anywhere. */
export type Directories = readonly string[] | undefined;

/** Whether later commands, or those in the same loop, may run elsewhere. */
export function changesDirectory(words: readonly ShellWord[]): boolean {
  return /^(cd|chdir|pushd|popd)$/.test(programName(words[0]?.text ?? ""));
}

/** Where the first command of a line may run. In a loop, later commands also come before it. */
export function firstDirectories(commands: readonly SimpleCommand[]): Directories {
  return commands.some(({ words, repeats }) => repeats && changesDirectory(words)) ? undefined : ["."];
}

/**
 * Where commands may run after this one. A `cd` is followed from every earlier directory, since it may have failed or run in a subshell.
 * After `ln` a relative path may lead anywhere.
 */
export function directoriesAfter(words: readonly ShellWord[], before: Directories): Directories {
  const name = programName(words[0]?.text ?? "");
  if (/^(pushd|popd|ln)$/.test(name)) return undefined;
  if (!changesDirectory(words) || before === undefined) return before;
  const [target, ...others] = words.slice(1).filter(({ text }) => !/^(-[LPe@]+|--)$/.test(text));
  const isKnown = target?.fixed === true && !target.spread && !/^[~-]/.test(target.text) && others.length === 0;
  if (!isKnown || before.length >= MAX_DIRECTORIES) return undefined;
  const { text } = target;
  return [...new Set([...before, ...before.map((each) => (text.startsWith("/") ? text : inDirectory(each, text)))])];
}

/** Not normalised: where `..` leads depends on the links before it. */
export function inDirectory(directory: string, path: string): string {
  return directory === "." ? path : `${directory}/${path}`;
}
