import type { Readable, Writable } from "node:stream";

/** Everything a command may know of the process it runs in. Only `main.ts` makes one; tests make their own. */
export interface Host {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How a person starts Caret here: `caret`, or `npx caret` in a checkout. */
  readonly command: string;
  readonly cwd: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Undefined on Windows, which has none. */
  readonly uid: number | undefined;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** Calls back for each interrupt (Ctrl-C) or termination; gives a function that stops listening. */
  readonly onSignal: (listener: (signal: "SIGINT" | "SIGTERM") => void) => () => void;
}

/** What the process ends with. Documented in docs/commands.md. */
export const exitCodes = { completed: 0, failed: 1, usage: 2, cancelled: 130 } as const;
/** One of these, or that of the client which `caret launch` has started. */
export type ExitCode = number;
