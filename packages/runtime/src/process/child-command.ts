/**
 * What the child finds on its standard input: nothing and an end (`closed`), whatever `writeStdin` gives it until
 * `endStdin` (`held`), or the content and then an end. Content is wrapped so that a prompt reading "held" stays a prompt.
 */
export type ChildStdin = "closed" | "held" | { readonly content: string | Uint8Array };

/** A file that exists, and another whose content the child finds in its place. */
export interface CoveredFile {
  readonly path: string;
  readonly by: string;
}

export interface ChildCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** The directory the child works in. It must exist. */
  readonly cwd: string;
  /** The whole environment: a child inherits nothing that is not named here. See `childEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: ChildStdin;
  /** What the child is not to see. Only where it is contained; elsewhere it sees the files as they are. */
  readonly covered?: readonly CoveredFile[];
  /**
   * Set by `containCommand`: the file is bubblewrap and the agent runs inside it. A polite signal then goes to the
   * agent, because bubblewrap dies of it and takes the agent along unasked.
   */
  readonly contained?: boolean;
}
