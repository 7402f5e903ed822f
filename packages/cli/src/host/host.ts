import type { Readable, Writable } from "node:stream";

/** How a command that draws on the terminal shares it with the shell. */
export interface JobControl {
  /** Stops the process group, as Ctrl-Z does in a terminal that is not in raw mode. */
  suspend(): void;
  /** Sends the process group SIGINT, as Ctrl-C does in a terminal that is not in raw mode. */
  interrupt(): void;
  /** Calls back when the shell has put the process into the foreground again (SIGCONT). */
  onContinue(listener: () => void): () => void;
  /** Calls back when the process ends, also after an error that was not caught. */
  onExit(listener: () => void): () => void;
}

/** Everything a command knows about its process. Only `main.ts` makes one; tests make their own. */
export interface Host {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How a person starts Caret in this directory, as found by `commandForm`. */
  readonly command: string;
  readonly cwd: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Undefined on Windows, which has none. */
  readonly uid: number | undefined;
  readonly stdin: Readable & { readonly isTTY?: boolean; readonly setRawMode?: (isRaw: boolean) => unknown };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** Calls back for each interrupt (Ctrl-C) or termination; returns a function that stops listening. */
  readonly onSignal: (listener: (signal: "SIGINT" | "SIGTERM") => void) => () => void;
  /** Absent if no process of its own runs the command: in tests and in other programs. */
  readonly jobControl?: JobControl;
}

/** Exit codes, documented in docs/commands.md. */
export const exitCodes = { completed: 0, failed: 1, usage: 2, cancelled: 130 } as const;
/** One of these, or that of a client started by `caret launch`. */
export type ExitCode = number;
