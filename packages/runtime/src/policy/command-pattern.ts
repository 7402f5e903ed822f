import { createGlobPattern } from "./glob-pattern.ts";
import { programName } from "./launch.ts";
import type { ShellWord } from "./shell-cursor.ts";
import { isInSystemPlace } from "./system-place.ts";

/** `maybe`: a word that the shell will compute stands where the pattern has one. */
export type CommandMatch = "yes" | "maybe" | "no";

/** The first words of a command: `git push` is every push, `npm run *` every script. What comes after is not looked at. */
export interface CommandPattern {
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
        // A bare star stands for any words at all, paths with slashes too.
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
  return isInSystemPlace(text) ? "yes" : "maybe";
}
