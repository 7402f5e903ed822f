/** Everything the simulator takes from the process it runs in; `main.ts` alone builds one. */
export interface Host {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly pid: number;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly writableNeedDrain?: boolean };
  readonly stderr: NodeJS.WritableStream;
  readonly now: () => number;
  /** Ends the process at once, as `process.exit` does. */
  readonly exit: (code: number) => never;
  /** From now on this signal does what the handler says; a later handler replaces an earlier one. */
  readonly onSignal: (signal: NodeJS.Signals, handler: () => void) => void;
  /** Sends itself a signal with the signal's own effect, whatever handlers there were. */
  readonly killSelf: (signal: NodeJS.Signals) => void;
}
