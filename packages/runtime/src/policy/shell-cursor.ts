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

/** What a command line was found to hold. */
export interface ShellFindings {
  /** Every simple command of the line, with those inside substitutions and subshells. */
  readonly commands: (readonly ShellWord[])[];
  /** The files that are written by redirection. */
  readonly writes: ShellWord[];
  /** The files that are read by redirection. */
  readonly reads: ShellWord[];
  /** What could not be understood, in words. A line with any of it may do anything. */
  readonly opaque: string[];
}

export interface HereDocument {
  readonly delimiter: string;
  readonly stripTabs: boolean;
  /** With a quoted delimiter nothing in the body is expanded. */
  readonly literal: boolean;
}

/** Where the reader of a command line stands. */
export interface ShellCursor {
  readonly source: string;
  at: number;
  readonly depth: number;
  readonly found: ShellFindings;
  /** Here-documents whose bodies begin after the current line. */
  readonly awaited: HereDocument[];
  /** Reads a list of commands up to a closing parenthesis, the opening one being behind the cursor. */
  readonly readNested: (cursor: ShellCursor) => void;
  /** Reads another text, that of backquotes, as a line of its own. */
  readonly readText: (text: string, cursor: ShellCursor) => void;
}

export function peek(cursor: ShellCursor): string {
  return cursor.source.charAt(cursor.at);
}

/** Step over `text` when the cursor stands before it. */
export function accept(cursor: ShellCursor, text: string): boolean {
  if (!cursor.source.startsWith(text, cursor.at)) return false;
  cursor.at += text.length;
  return true;
}
