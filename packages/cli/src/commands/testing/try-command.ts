import { PassThrough, Readable, Writable } from "node:stream";
import { Command } from "commander";
import type { ExitCode, Host } from "../../host/host.ts";
import type { AddCommand } from "../index.ts";

export interface Trial {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Text piped in; if absent, standard input is a terminal where nobody types. */
  readonly stdin?: string;
  /** Standard output is a terminal too, so the user can be asked. */
  readonly isTerminal?: true;
  /** Called with everything printed so far, each time something is; it can send a signal. */
  readonly watch?: (stdout: string, signal: (name: "SIGINT" | "SIGTERM") => void, type: (line: string) => void) => void;
}

export interface Tried {
  readonly code: ExitCode | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command in this process as `caret` would, with our own streams and signals. Rejects as it does. */
export async function tryCommand(add: AddCommand, argv: readonly string[], trial: Trial): Promise<Tried> {
  const listeners = new Set<(signal: "SIGINT" | "SIGTERM") => void>();
  const keyboard = Object.assign(new PassThrough(), { isTTY: true });
  const signal = (name: "SIGINT" | "SIGTERM"): void => {
    for (const listener of listeners) listener(name);
  };
  const stdout = collect((text) => trial.watch?.(text, signal, (line) => void keyboard.write(`${line}\n`)));
  const stderr = collect();
  const host: Host = {
    argv,
    command: "caret",
    env: trial.env,
    cwd: trial.cwd,
    home: trial.cwd,
    platform: process.platform,
    uid: process.getuid?.(),
    stdin: trial.stdin === undefined ? keyboard : Readable.from([trial.stdin]),
    stdout: trial.isTerminal === true ? Object.assign(stdout.stream, { isTTY: true, columns: 100 }) : stdout.stream,
    stderr: stderr.stream,
    onSignal(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  let code: ExitCode | undefined;
  const program = new Command("caret").exitOverride().configureOutput({ writeOut: stdout.add, writeErr: stderr.add });
  add(program, host, (result) => {
    code = result;
  });
  await program.parseAsync(argv, { from: "user" });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function collect(onText?: (text: string) => void) {
  let text = "";
  const add = (piece: string): void => {
    text += piece;
    onText?.(text);
  };
  const stream = new Writable({
    write(chunk, _encoding, written) {
      add(String(chunk));
      written();
    },
  });
  return { stream, add, text: () => text };
}
