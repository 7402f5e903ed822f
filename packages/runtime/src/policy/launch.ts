import type { ShellWord } from "./shell-word.ts";

/** What a command is about: itself, and what it starts. */
export interface Launch {
  /** Does the command itself count, or only what it starts? */
  readonly shown: boolean;
  /** The command without options that stand between its name and what it is to do. */
  readonly words?: readonly ShellWord[];
  /** Commands it starts. */
  readonly inner?: readonly (readonly ShellWord[])[];
  /** A string that it reads as a line of shell. */
  readonly source?: string;
  /** Does it, or what it starts, run in another directory? */
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
