import { posix } from "node:path";
import { decidingDirectory, decidingFile } from "./deciding-names.ts";
import { type OutputForm, VALUED_NAMES } from "./output-table.ts";
import { fixedWord, type ShellWord } from "./shell-word.ts";

/** Standard output, or nothing at all. */
const SINK = /^(-|\/dev\/(null|stdout|stderr|tty))$/;

interface ReadOutputs {
  readonly values: readonly ShellWord[];
  readonly operands: readonly ShellWord[];
}

/** The words of a command that name what it writes. */
export function outputsOf(form: OutputForm, given: readonly ShellWord[]): readonly ShellWord[] {
  const { values, operands } = readOptions(form, given);
  const keyed = operands.flatMap((word) => afterMatch(word, form.keyed));
  const has = (option: RegExp | undefined): boolean =>
    option !== undefined && given.some(({ text }) => option.test(text));
  if (has(form.makesAll)) return [...values, ...operands];
  if (has(form.spares)) return [...values, ...keyed];
  const written = writtenOperands(form, operands, values.length > 0);
  return [
    ...values,
    ...keyed,
    ...written,
    ...(form.keepsNames === true ? namesakes(operands, [...values, ...written]) : []),
  ];
}

function writtenOperands(
  { from, only, last }: OutputForm,
  operands: readonly ShellWord[],
  hasTarget: boolean,
): readonly ShellWord[] {
  if (from !== undefined) return operands.slice(from);
  if (only !== undefined) return operands.slice(only, only + 1);
  return last === true && !hasTarget && operands.length > 1 ? operands.slice(-1) : [];
}

/** `cp examples/.envrc .` writes `./.envrc`: names that decide what runs are added, since the last operand may be a directory. */
function namesakes(operands: readonly ShellWord[], written: readonly ShellWord[]): readonly ShellWord[] {
  const names = operands.map((word) => ({ word, name: posix.basename(word.text) }));
  const deciding = names.filter(({ name }) => decidingDirectory(name) || decidingFile(name));
  const places = written.length > 0 ? written : [fixedWord(".")];
  return deciding.flatMap(({ word, name }) =>
    places.filter((place) => place !== word).map((place) => ({ ...place, text: `${place.text}/${name}` })),
  );
}

/** Separates options from operands; an option's value, in its own word or the next, is not an operand. */
export function readOptions(
  { letters = "", names = [], valued = "", unbundled = false }: OutputForm,
  given: readonly ShellWord[],
  isOutputName = (name: string, isWhole: boolean): boolean =>
    names.some((known) => (isWhole ? known === name : known.startsWith(name))),
): ReadOutputs {
  const end = given.findIndex(({ text }) => text === "--");
  const rest = given.slice(0, end === -1 ? undefined : end).values();
  const values: ShellWord[] = [];
  const operands: ShellWord[] = [];
  for (const word of rest) {
    const option = readOption(word, { letters, valued, unbundled, isOutputName });
    if (option === undefined) operands.push(word);
    if (option === undefined || !option.hasValue) continue;
    const value = option.value ?? rest.next().value;
    if (option.isOutput && value !== undefined && !SINK.test(value.text)) values.push(value);
  }
  return { values, operands: end === -1 ? operands : [...operands, ...given.slice(end + 1)] };
}

interface OptionRules {
  readonly letters: string;
  readonly valued: string;
  readonly unbundled: boolean;
  /** `isWhole`: the name is not abbreviated. */
  readonly isOutputName: (name: string, isWhole: boolean) => boolean;
}

interface ReadOption {
  readonly isOutput: boolean;
  readonly hasValue: boolean;
  /** Undefined if the value is the next word. */
  readonly value?: ShellWord | undefined;
}

/** Undefined for an operand. */
function readOption(word: ShellWord, rules: OptionRules): ReadOption | undefined {
  if (!/^-./.test(word.text)) return undefined;
  const [, dashes, name = "", text] = /^(--?)([\w-]{2,})(?:=(.*))?$/s.exec(word.text) ?? [];
  const value = text === undefined ? undefined : { ...word, text };
  if (name !== "" && rules.isOutputName(name, dashes === "-")) return { isOutput: true, hasValue: true, value };
  if (dashes === "--") return { isOutput: false, hasValue: value !== undefined || VALUED_NAMES.test(name), value };
  return readLetters(word, rules);
}

/** `-ro file`, `-rofile`, `-o=file`. */
function readLetters(word: ShellWord, { letters, valued, unbundled }: OptionRules): ReadOption {
  const letterText = unbundled ? word.text.slice(0, 2) : word.text;
  const at = [...letterText].findIndex((letter, index) => index > 0 && (letters + valued).includes(letter));
  if (at === -1) return { isOutput: false, hasValue: false };
  const text = word.text.slice(at + 1).replace(/^=/, "");
  const value = text === "" ? undefined : { ...word, text };
  return { isOutput: letters.includes(word.text.charAt(at)), hasValue: true, value };
}

export function afterMatch(word: ShellWord, pattern: RegExp | undefined): readonly ShellWord[] {
  const found = pattern?.exec(word.text)?.[0];
  return found === undefined ? [] : [{ ...word, text: word.text.slice(found.length) }];
}
