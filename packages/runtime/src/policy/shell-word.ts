/** One word of a command line, with its quotes taken off. */
export interface ShellWord {
  readonly text: string;
  /** False when the shell expands it to something that the line does not show: `$HOME`, `$(date)`. */
  readonly fixed: boolean;
  /** Was any of it quoted or escaped? */
  readonly quoted: boolean;
  /** Has it an unquoted `*`, `?`, `[` or `{`, that the shell may make several words of? */
  readonly spread: boolean;
}

/** A word that no shell changes. */
export function fixedWord(text: string): ShellWord {
  return { text, fixed: true, quoted: true, spread: false };
}
