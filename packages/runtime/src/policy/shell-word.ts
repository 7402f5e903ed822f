/** One word of a command line, without its quotes. */
export interface ShellWord {
  readonly text: string;
  /** False if the shell expands it to something the line does not show: `$HOME`, `$(date)`. */
  readonly fixed: boolean;
  /** Whether any of it was quoted or escaped. */
  readonly quoted: boolean;
  /** Whether it has an unquoted `*`, `?`, `[` or `{`, which the shell may expand to several words. */
  readonly spread: boolean;
}

/** A word that no shell changes. */
export function fixedWord(text: string): ShellWord {
  return { text, fixed: true, quoted: true, spread: false };
}
