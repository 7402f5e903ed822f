import { posix } from "node:path";
import { programName } from "./launch.ts";
import type { ShellWord } from "./shell-cursor.ts";

/** Which operands of a command are files that it changes, or takes away. */
const changes: ReadonlyMap<string, "all" | "last"> = new Map([
  ["mv", "all"],
  ["tee", "all"],
  ["cp", "last"],
  ["ln", "last"],
  ["install", "last"],
]);

/** The files that a command changes by its operands, where those are known to be files. */
export function changedFiles(words: readonly ShellWord[]): readonly ShellWord[] {
  const name = programName(words[0]?.text ?? "");
  const given = words.slice(1);
  if (/^g?sed$/.test(name)) return isInPlace(given) ? given.filter(isOperand).slice(1).map(toDirectory) : [];
  const which = changes.get(name);
  if (which === undefined) return [];
  const operands = given.filter((word, index) => isOperand(word) && !isTargetOption(given[index - 1]));
  const targets = given.flatMap((word, index) => targetOf(word, given[index + 1]));
  const last = targets.length > 0 ? [] : operands.slice(operands.length < 2 ? operands.length : -1);
  return [...targets, ...(which === "all" ? operands : last)].map(toDirectory);
}

function isOperand({ text }: ShellWord): boolean {
  return !/^-./.test(text);
}

function isInPlace(given: readonly ShellWord[]): boolean {
  return given.some(({ text }) => /^(-[nErsz]*i|--in-place)/.test(text));
}

function isTargetOption(word: ShellWord | undefined): boolean {
  return /^(-[a-zA-Z]*t|--t[a-z-]*)$/.test(word?.text ?? "");
}

/** `-t dir`, `-tdir`, `--target-directory=dir`. */
function targetOf(word: ShellWord, next: ShellWord | undefined): readonly ShellWord[] {
  if (isTargetOption(word)) return next === undefined ? [] : [next];
  const value = /^(?:--t[a-z-]*=|-[a-su-zA-Z]*t)(.+)$/s.exec(word.text)?.[1];
  return value === undefined || word.text.startsWith("--no-t") ? [] : [{ ...word, text: value }];
}

/** A pattern without braces names files of the directory before its first wildcard, unless it climbs. */
function toDirectory(word: ShellWord): ShellWord {
  if (!word.spread || !word.fixed || /\{|\.\./.test(word.text)) return word;
  const known = word.text.slice(0, word.text.search(/[*?[]/));
  const directory = known.endsWith("/") ? known : posix.dirname(known);
  return { ...word, text: directory, spread: false };
}
