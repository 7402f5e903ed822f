/** How a client is started for one run, without settings of the user's. */
export interface Launch {
  /** The program; absent: the first word that follows the client's name. */
  readonly command?: string;
  /** Before those of the user. `{directory}` is the directory of `files`. */
  readonly args: readonly string[];
  /** Undefined: the variable is not set, whatever the terminal has. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Written to a directory of this run, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** A directory of Caret's that the client loads, which not every form of Caret has. */
  readonly needs?: string;
}
