/** Everything the simulator takes from the process it runs in; `main.ts` alone builds one. */
export interface Host {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly pid: number;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream;
  readonly now: () => number;
  /** Ends the process at once, as `process.exit` does. */
  readonly exit: (code: number) => never;
}
