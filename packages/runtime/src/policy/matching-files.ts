import { lstatSync, opendirSync } from "node:fs";
import { resolve } from "node:path";
import { createGlobPattern } from "./glob-pattern.ts";

/** Total cost of one line's patterns: about 3,000 directory entries, a few milliseconds. */
const MAX_COST = 300_000;
const COST_OF_ENTRY = 100;
const MAX_ALTERNATIVES = 64;

/** Finds the files that a line's patterns match, as the shell would; undefined if there are too many or a pattern is not understood. */
export type MatchFiles = (pattern: string) => readonly string[] | undefined;

/** One line's patterns share a budget, however large the workspace. */
export function createMatchFiles(directory: string): MatchFiles {
  let left = MAX_COST;
  const spend = (cost: number): boolean => {
    left -= cost;
    return left >= 0;
  };
  return (pattern) => {
    const found: string[] = [];
    for (const alternative of alternativesOf(pattern) ?? [undefined]) {
      const files = alternative === undefined ? undefined : matching(alternative, directory, spend);
      if (files === undefined) return undefined;
      for (const file of files) found.push(file);
    }
    return found;
  };
}

/** `a{b,c}` is `ab` and `ac`, `a{1..3}` is `a1`, `a2` and `a3`. Undefined for anything more complicated, such as `@(a|b)`. */
function alternativesOf(pattern: string): readonly string[] | undefined {
  if (/[()\\]/.test(pattern)) return undefined;
  let texts = [""];
  for (const part of pattern.split(/(\{[^{}]*\})/)) {
    const choices = part.startsWith("{") && part.endsWith("}") ? choicesOf(part.slice(1, -1)) : [part];
    if (choices.length === 1 && /[{}]/.test(part)) return undefined;
    if (texts.length * choices.length > MAX_ALTERNATIVES) return undefined;
    texts = texts.flatMap((text) => choices.map((choice) => text + choice));
  }
  return texts;
}

/** Not treated as ranges: zero-padded numbers, which some shells pad, and letters of mixed case, which have other characters in between. */
function choicesOf(braced: string): readonly string[] {
  const [, from, to] = /^(0|-?[1-9]\d{0,8}|[a-z]|[A-Z])\.\.(0|-?[1-9]\d{0,8}|[a-z]|[A-Z])$/.exec(braced) ?? [];
  if (from === undefined || to === undefined) return braced.split(",");
  const isOfNumbers = !Number.isNaN(Number(from)) && !Number.isNaN(Number(to));
  const isOfLetters = [/[a-z]/, /[A-Z]/].some((letter) => letter.test(from) && letter.test(to));
  if (!isOfNumbers && !isOfLetters) return [braced];
  const [first, last] = isOfNumbers ? [Number(from), Number(to)] : [from.charCodeAt(0), to.charCodeAt(0)];
  if (Math.abs(last - first) >= MAX_ALTERNATIVES) return [braced];
  const numbers = Array.from(
    { length: Math.abs(last - first) + 1 },
    (_, index) => first + (last < first ? -index : index),
  );
  return numbers.map((number) => (isOfNumbers ? String(number) : String.fromCharCode(number)));
}

type Spend = (cost: number) => boolean;

function matching(pattern: string, directory: string, spend: Spend): readonly string[] | undefined {
  let found: readonly string[] | undefined = [pattern.startsWith("/") ? "/" : ""];
  for (const segment of pattern.split("/").filter(Boolean)) {
    found = entered(found, segment, directory, spend);
    if (found === undefined) return undefined;
  }
  return found.filter((file) => exists(resolve(directory, file)));
}

function entered(
  found: readonly string[],
  segment: string,
  directory: string,
  spend: Spend,
): readonly string[] | undefined {
  const next: string[] = [];
  for (const before of found) {
    const names = /[*?[]/.test(segment) ? namesIn(resolve(directory, before), segment, spend) : [segment];
    if (names === undefined || !spend(COST_OF_ENTRY)) return undefined;
    for (const name of names) next.push(before === "" || before === "/" ? `${before}${name}` : `${before}/${name}`);
  }
  return next;
}

/** A character set is treated as any text, which matches more, never less. Two stars are one, as in a shell without globstar. */
function namesIn(directory: string, segment: string, spend: Spend): readonly string[] | undefined {
  const plain = segment.replace(/\[.*/, "*").replaceAll(/\*+/g, "*");
  const pattern = createGlobPattern(plain);
  const names: string[] = [];
  const opened = openDirectory(directory);
  try {
    for (let entry = opened?.readSync(); entry; entry = opened?.readSync()) {
      if (!spend(COST_OF_ENTRY + plain.length * entry.name.length)) return undefined;
      const isShown = !entry.name.startsWith(".") || plain.startsWith(".");
      if (isShown && pattern.matches(entry.name)) names.push(entry.name);
    }
  } finally {
    opened?.closeSync();
  }
  return names;
}

function openDirectory(path: string): ReturnType<typeof opendirSync> | undefined {
  try {
    return opendirSync(path);
  } catch {
    return undefined; // not a directory, or inaccessible: the shell finds nothing there either
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // below a file, or inaccessible: the shell does not find it either
  }
}
