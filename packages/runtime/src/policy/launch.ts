import type { ShellWord } from "./shell-word.ts";

/** What a command amounts to: itself, and what it starts. */
export interface Launch {
  /** Whether the command itself counts, or only what it starts. */
  readonly shown: boolean;
  /** The command without options between its name and its action. */
  readonly words?: readonly ShellWord[];
  /** Commands it starts. */
  readonly inner?: readonly (readonly ShellWord[])[];
  /** A string it interprets as a line of shell. */
  readonly source?: string;
  /** Whether it, or what it starts, runs in another directory. */
  readonly isElsewhere?: boolean;
  /** Why its effect cannot be known from the line. */
  readonly opaque?: string;
}

export function opaqueLaunch(words: readonly ShellWord[], reason: string): Launch {
  return { shown: true, words, opaque: reason };
}

/** `/bin/rm` is `rm`. */
export function programName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}
