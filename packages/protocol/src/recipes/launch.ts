/** How to start a client for one run without touching the user's settings. */
export interface Launch {
  /** The program. Default: the first word after the client's name. */
  readonly command?: string;
  /** Precede the user's arguments. `{directory}` is the directory of `files`. */
  readonly args: readonly string[];
  /** Undefined unsets the variable, whatever the terminal has. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Files by name, written to a directory for this run. */
  readonly files?: Readonly<Record<string, string>>;
  /** A Caret directory that the client loads; not every distribution of Caret includes it. */
  readonly needs?: string;
}
