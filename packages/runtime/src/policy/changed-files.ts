import { posix } from "node:path";
import { programName } from "./launch.ts";
import { outputFiles } from "./output-files.ts";
import type { ShellWord } from "./shell-word.ts";

/** The files that a command changes, or takes away, judged by its words. */
export function changedFiles(words: readonly ShellWord[]): readonly ShellWord[] {
  const name = programName(words[0]?.text ?? "");
  const given = words.slice(1);
  const changed = /^g?sed$/.test(name) ? editedInPlace(given) : outputFiles(words);
  return changed.map(toDirectory);
}

/** The first operand of `sed` is its script. */
function editedInPlace(given: readonly ShellWord[]): readonly ShellWord[] {
  const isInPlace = given.some(({ text }) => /^(-[nErsz]*i|--in-place)/.test(text));
  return isInPlace ? given.filter(({ text }) => !/^-./.test(text)).slice(1) : [];
}

/** A pattern without braces names files of the directory before its first wildcard, unless it climbs. */
function toDirectory(word: ShellWord): ShellWord {
  if (!word.spread || !word.fixed || /\{|\.\./.test(word.text)) return word;
  const known = word.text.slice(0, word.text.search(/[*?[]/));
  const directory = known.endsWith("/") ? known : posix.dirname(known);
  return { ...word, text: directory, spread: false };
}
