import { isHarmlessVariable, isOwnVariable } from "./shell-variables.ts";
import type { ShellWord } from "./shell-word.ts";

/** Builtins that change the meaning of later words, and keywords for words that were not parsed by a grammar. */
const twisting = new Set([
  ...["case", "select", "function", "coproc", "[[", "alias", "unalias", "export", "declare", "typeset", "readonly"],
  ...["local", "set", "shopt", "trap", "enable", "source", ".", "hash", "bind", "complete", "let", "read", "mapfile"],
  ...["readarray", "compgen", "fc", "history", "getopts"],
]);

/** Why a builtin may change what later commands are; undefined if it does not. */
export function twistOf(words: readonly ShellWord[]): string | undefined {
  const [first, ...given] = words;
  const name = first?.text ?? "";
  if (twisting.has(name)) return `\`${name}\``;
  const judge = Object.hasOwn(judges, name) ? judges[name] : undefined;
  return judge?.(given) === true ? `\`${name}\` that may set a variable or run a command` : undefined;
}

const isComputed = ({ fixed, spread }: ShellWord): boolean => !fixed || spread;

/** Builtins that do so only with some arguments. */
const judges: Readonly<Record<string, (given: readonly ShellWord[]) => boolean>> = {
  printf: ([format, ...others]) =>
    format !== undefined &&
    (/^-v/.test(format.text) || format.spread || (!format.fixed && (!format.quoted || others.length > 0))),
  unset: (given) => given.some((word) => isComputed(word) || !(word.text === "-v" || mayBeTaken(word.text))),
  wait: (given) => given.some((word) => isComputed(word) || /^-[a-z]*p/.test(word.text)),
  jobs: (given) => given.some((word) => isComputed(word) || /^-[a-z]*x/.test(word.text)),
  test: looksAtVariable,
  "[": looksAtVariable,
};

function mayBeTaken(name: string): boolean {
  return isOwnVariable(name) || isHarmlessVariable(name);
}

/** The subscript of the variable's name is evaluated. */
function looksAtVariable(given: readonly ShellWord[]): boolean {
  return given.some(({ text }) => /^-[vR]$/.test(text)) && given.some(({ fixed }) => !fixed);
}
