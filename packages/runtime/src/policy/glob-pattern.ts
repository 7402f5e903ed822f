import { programName } from "./launch.ts";
import type { ShellWord } from "./shell-word.ts";
import { isInSystemDirectory } from "./system-directory.ts";

/** A text pattern: `*` matches anything but a slash, `**` anything, `?` one character. */
export interface GlobPattern {
  matches(text: string): boolean;
  /** How much is spelled out: a higher weight is more specific. */
  readonly weight: number;
}

/** `directories` matches nothing, or anything that ends in a slash. */
type Token = "one" | "name" | "anything" | "directories" | { readonly letter: string };

/**
 * Matched by hand, in time proportional to pattern times text: a regular expression with many stars can take forever, and agents write
 * these patterns.
 */
export function createGlobPattern(pattern: string): GlobPattern {
  const [start = "", ...parts] = pattern.split(/(\*\*\/|\*+|\?)/);
  const tokens = parts.flatMap((part, index) => (index % 2 === 1 ? [...part].map(toLetter) : [toToken(part)]));
  const literals = start.length + parts.filter((_, index) => index % 2 === 1).join("").length;
  // Most patterns start with literals that most texts do not, so those are not walked.
  const matches = (text: string): boolean =>
    tokens.length === 0 ? text === start : text.startsWith(start) && matchesTokens(tokens, text.slice(start.length));
  return { matches, weight: literals * 2 + (parts.length === 0 ? 1 : 0) };
}

function toLetter(letter: string): Token {
  return { letter };
}

function toToken(part: string): Token {
  if (part === "**/") return "directories";
  if (part === "?") return "one";
  return part === "*" ? "name" : "anything";
}

/** Row by row: `reachable[n]` is whether the tokens so far can consume the first n letters. */
function matchesTokens(tokens: readonly Token[], text: string): boolean {
  const letters = [...text];
  let reachable = [true, ...letters.map(() => false)];
  for (const token of tokens) reachable = step(token, letters, reachable);
  return reachable.at(-1) === true;
}

function step(token: Token, letters: readonly string[], before: readonly boolean[]): boolean[] {
  if (typeof token !== "object" && token !== "one") return stepOverStar(token, letters, before);
  const fits = (letter: string | undefined): boolean => (token === "one" ? letter !== "/" : letter === token.letter);
  return before.map((_, index) => index > 0 && before[index - 1] === true && fits(letters[index - 1]));
}

function stepOverStar(
  star: "name" | "anything" | "directories",
  letters: readonly string[],
  before: readonly boolean[],
): boolean[] {
  /** Whether a star that began at an earlier letter still continues. */
  let isOpen = false;
  return before.map((wasReachable, index) => {
    const isSlash = letters[index - 1] === "/";
    const isInDirectories = isOpen && isSlash;
    isOpen = wasReachable || (isOpen && !(star === "name" && isSlash));
    return star === "directories" ? wasReachable || isInDirectories : isOpen;
  });
}

/** `maybe`: the pattern has a word where the shell will compute one. */
type CommandMatch = "yes" | "maybe" | "no";

/** Matches the first words of a command: `git push` is every push, `npm run *` every script. Later words are ignored. */
interface CommandPattern {
  matches(words: readonly ShellWord[]): CommandMatch;
  readonly weight: number;
}

export function createCommandPattern(pattern: string): CommandPattern {
  const texts = pattern.trim().split(/\s+/);
  const globs = texts.map(createGlobPattern);
  return {
    weight: globs.reduce((sum, { weight }) => sum + weight + 1, 0),
    matches(words) {
      const matches = globs.map((glob, index) => {
        const word = words[index];
        if (word === undefined) return "no";
        // A bare star matches any words at all, even paths with slashes.
        if (texts[index] === "*") return "yes";
        return index === 0 ? matchName(word, glob.matches) : matchWord(word, glob.matches);
      });
      if (matches.includes("no")) return "no";
      return matches.includes("maybe") ? "maybe" : "yes";
    },
  };
}

function matchWord(word: ShellWord, matches: (text: string) => boolean): CommandMatch {
  if (!word.fixed || word.spread) return "maybe";
  return matches(word.text) ? "yes" : "no";
}

/** `/bin/rm` is `rm`. `./rm` need not be, so it matches only where that makes a decision stricter. */
function matchName({ text }: ShellWord, matches: (text: string) => boolean): CommandMatch {
  if (matches(text)) return "yes";
  if (!matches(programName(text))) return "no";
  return isInSystemDirectory(text) ? "yes" : "maybe";
}
