import { posix } from "node:path";
import { programName } from "./launch.ts";
import { outputFiles } from "./output-files.ts";
import type { ShellWord } from "./shell-word.ts";

/** The files a command changes or removes, judging by its words. */
export function changedFiles(words: readonly ShellWord[]): readonly ShellWord[] {
  const name = programName(words[0]?.text ?? "");
  const given = words.slice(1);
  const changed = /^g?sed$/.test(name) ? editedInPlace(given) : outputFiles(words);
  return changed.map(toDirectory);
}

/** The first operand of `sed` is its script, unless `--expression=` gave one. A suffix with a slash is the path of the backup. */
function editedInPlace(given: readonly ShellWord[]): readonly ShellWord[] {
  const options = given.filter(({ text }) => /^(-[nErsz]*i|--in-place)/.test(text));
  if (options.length === 0) return [];
  const operands = given.filter(({ text }) => !/^-./.test(text));
  const copies = options
    .map((word) => ({ ...word, spread: false, text: word.text.replace(/^(-[nErsz]*i|--in-place=?)/, "") }))
    .filter(({ text }) => text.includes("/"));
  const isGiven = given.some(({ text }) => text.startsWith("--expression="));
  return [...copies, ...(isGiven ? operands : operands.slice(1))];
}

/** A pattern without braces names files in the directory before its first wildcard, unless it climbs. */
function toDirectory(word: ShellWord): ShellWord {
  if (!word.spread || !word.fixed || /\{|\.\./.test(word.text)) return word;
  const known = word.text.slice(0, word.text.search(/[*?[]/));
  const directory = known.endsWith("/") ? known : posix.dirname(known);
  return { ...word, text: directory, spread: false };
}
